"""The results of the cases that were recorded with Kafka Streams can be explained, whatever their topology does."""

import json
from pathlib import Path
from random import Random

import pytest

from eddyline.adapters.cli.replay.case import ClockStep, RecordStep, read_case
from eddyline.application.lineage.limits import Limits
from eddyline.application.ports.event_log import LogRecord
from tests.conformance.recorded import TOPOLOGIES, case_paths, path_name, plumbing_marks
from tests.lineage.explaining import Ran

pytestmark = pytest.mark.extensive

FEW = 3
"""The number of results that are explained in each case."""


def ran(path: Path) -> Ran:
    case = read_case(path)
    flow = Ran(TOPOLOGIES[path.parent.name].topology(**case.config), (), source={"limits": Limits(tests=2_000)})
    for arrival, step in enumerate(case.steps):
        if isinstance(step, RecordStep):
            _append(flow, step, arrival)
    flow.run(flow.log)
    return flow


def _append(flow: Ran, step: RecordStep, arrival: int) -> None:
    flow.log.create_topic(step.topic, 1)
    key, value = (None if part is None else json.dumps(part).encode() for part in (step.key, step.value))
    headers = tuple((name, text.encode()) for name, text in step.headers.items())
    flow.log.append(step.topic, key, value, step.timestamp, headers, arrival=arrival)


@pytest.mark.parametrize("path", [pytest.param(path, id=path_name(path), marks=plumbing_marks([path])) for path in case_paths()])
def test_results_of_a_case_are_explained(path: Path) -> None:
    if any(isinstance(step, ClockStep) for step in read_case(path).steps):
        pytest.skip("a log does not have the steps of the wall clock")
    flow = ran(path)
    for result in _some(flow.outputs):
        found = flow.explain(result)
        assert (found.found, found.verified) == (True, True), (result, found.notes)
        assert found.inputs


def _some(results: list[LogRecord]) -> list[LogRecord]:
    return Random(0).sample(results, min(FEW, len(results)))
