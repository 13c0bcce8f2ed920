"""The Spark engine emits the same records as Kafka Streams, in order, and has the same stores.

Cases with the same topology and config share a query, one partition per case.
"""

import json
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from eddyline.adapters.cli.replay.case import Case, read_case
from tests.conformance.recorded import DEVIATIONS, TOPOLOGIES, Recorded, case_paths, recorded, recorded_stores
from tests.fixtures.replay import SparkReplay

pytestmark = pytest.mark.spark


def groups() -> list[Any]:
    """Return the cases that can share a query as parameters of a test."""

    def query_of(path: Path) -> str:
        case = read_case(path)
        return json.dumps([case.topology, case.config], sort_keys=True)

    return [
        pytest.param(list(paths), id=key.replace('"', "").replace(" ", ""))
        for key, paths in groupby(sorted(case_paths(), key=query_of), key=query_of)
    ]


@pytest.mark.parametrize("paths", groups())
def test_cases_have_the_output_and_stores_of_kafka_streams(paths: list[Path], spark_replay: SparkReplay) -> None:
    cases = [read_case(path) for path in paths]
    topology = TOPOLOGIES[cases[0].topology].topology(**cases[0].config)
    for path, case, actual in zip(paths, cases, spark_replay(cases, topology), strict=True):
        expected = recorded(path)
        found = {"output": actual["output"], "stores": recorded_stores(actual["stores"], expected)}
        assert (found == _without_inputs(expected)) is (_name(case) not in DEVIATIONS), _name(case)


def _name(case: Case) -> str:
    return f"{case.topology}/{case.name}"


def _without_inputs(case: Recorded) -> dict[str, Any]:
    """Return the expected output without the inputs that caused the records, which Spark does not know."""
    output = [{name: value for name, value in record.items() if name != "after_input"} for record in case.output]
    return {"output": output, "stores": case.stores}
