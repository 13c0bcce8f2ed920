"""The Spark engine emits the same records as Kafka Streams, in order, and has the same stores.

Cases with the same topology and config share a query, one partition per case.
"""

import json
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from eddyline.adapters.cli.replay.case import read_case
from tests.conformance.recorded import (
    DEVIATIONS,
    TOPOLOGIES,
    case_paths,
    name_of,
    recorded,
    recorded_stores,
    without_inputs,
)
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
        assert (found == without_inputs(expected)) is (name_of(case) not in DEVIATIONS), name_of(case)
