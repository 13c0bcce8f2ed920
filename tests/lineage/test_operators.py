"""The inputs of the last result of every operator, alone."""

import pytest

from eddyline.application.lineage.traced_topology import WRAPPERS
from eddyline.application.ports.event_log import Position
from eddyline.application.topology import TopologyBuilder
from eddyline.application.topology.nodes import Node
from tests.lineage.explaining import Ran
from tests.lineage.operator_cases import CASES, OperatorCase


def ran(case: OperatorCase) -> Ran:
    builder = TopologyBuilder()
    case.define(builder)
    return Ran(builder.build(), case.records())


@pytest.mark.parametrize("name", CASES)
def test_the_last_result_of_an_operator_is_made_of_these_inputs(name: str) -> None:
    case = CASES[name]
    flow = ran(case)
    positions = _positions(case)
    result = flow.outputs[-1]
    found = flow.explain(result)
    assert (found.found, found.verified) == (True, True)
    assert {record.position for record in found.inputs} == {positions[index] for index in case.made_of}
    assert {record.position for record in found.inputs if record.neutral} == {positions[index] for index in case.neutral}


@pytest.mark.parametrize("name", CASES)
def test_these_inputs_alone_give_every_result_and_without_one_of_them_they_do_not_unless_it_is_neutral(name: str) -> None:
    flow = ran(CASES[name])
    for result in flow.outputs:
        found = flow.explain(result)
        inputs = [record.position for record in found.inputs]
        assert flow.gives(inputs, result)
        for record in found.inputs:
            others = [position for position in inputs if position != record.position]
            assert flow.gives(others, result) is record.neutral


def test_the_record_that_only_caused_a_punctuation_is_a_trigger() -> None:
    flow = ran(CASES["punctuation"])
    assert [record.role for record in flow.explain(flow.outputs[-1]).inputs] == ["data", "data", "trigger"]


def test_every_type_of_node_with_functions_is_in_a_case() -> None:
    seen: set[type[Node]] = set()
    for case in CASES.values():
        builder = TopologyBuilder()
        case.define(builder)
        seen.update(type(node) for node in builder.build().nodes)
    assert set(WRAPPERS) <= seen


def _positions(case: OperatorCase) -> list[Position]:
    counts: dict[str, int] = {}
    positions = []
    for topic, *_ in case.inputs:
        positions.append(Position(topic, 0, counts.get(topic, 0)))
        counts[topic] = counts.get(topic, 0) + 1
    return positions
