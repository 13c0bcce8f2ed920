"""The Spark engine emits the same records as Kafka Streams, in order, and has the same stores.

Cases share queries, one partition per case: those with the same topology and config, and those whose topologies can be combined.
"""

from pathlib import Path

import pytest

from tests.conformance.queries import Queries
from tests.conformance.recorded import parameters, recorded, recorded_stores, without_inputs
from tests.fixtures.replay import SparkReplay

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def queries(spark_replay: SparkReplay, request: pytest.FixtureRequest) -> Queries:
    """The queries of those cases that this run has selected."""
    tests = (item for item in request.session.items if isinstance(item, pytest.Function) and item.path == request.path)
    paths: list[Path] = [item.callspec.params["path"] for item in tests]  # type: ignore[misc] # pytest has no types for parameters
    return Queries(spark_replay, paths)


@pytest.mark.parametrize("path", parameters(only_plumbing=True))
def test_a_case_has_the_output_and_stores_of_kafka_streams(path: Path, queries: Queries) -> None:
    expected, actual = recorded(path), queries.result(path)
    assert {
        "output": actual["output"],
        "stores": recorded_stores(actual["stores"], expected),
    } == without_inputs(expected)
