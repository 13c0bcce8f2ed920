"""The Spark engine gives what Kafka Streams gives: every record, in order, and the stores at the end.

Cases of one topology and config share a query, a case a partition.
"""

import json
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from eddyline.adapters.cli.replay.case import Case, read_case
from tests.conformance.recorded import DEVIATIONS, TOPOLOGIES, case_paths, recorded
from tests.fixtures.replay import SparkReplay

pytestmark = pytest.mark.spark


def groups() -> list[Any]:
    """The cases that can share a query, as parameters of a test."""

    def shared(path: Path) -> str:
        case = read_case(path)
        return json.dumps([case.topology, case.config], sort_keys=True)

    return [
        pytest.param(list(paths), id=key.replace('"', "").replace(" ", ""))
        for key, paths in groupby(sorted(case_paths(), key=shared), key=shared)
    ]


@pytest.mark.parametrize("paths", groups())
def test_cases_give_what_kafka_streams_gives(paths: list[Path], spark_replay: SparkReplay) -> None:
    cases = [read_case(path) for path in paths]
    topology = TOPOLOGIES[cases[0].topology].topology(**cases[0].config)
    for path, case, actual in zip(paths, cases, spark_replay(cases, topology), strict=True):
        assert (actual == _expected(path)) is (_name(case) not in DEVIATIONS), _name(case)


def _name(case: Case) -> str:
    return f"{case.topology}/{case.name}"


def _expected(path: Path) -> dict[str, Any]:
    """The answer of Kafka Streams without the inputs that caused the records, which Spark cannot tell."""
    answer = recorded(path)
    output = [{name: value for name, value in record.items() if name != "after_input"} for record in answer.output]
    return {"output": output, "stores": answer.stores}
