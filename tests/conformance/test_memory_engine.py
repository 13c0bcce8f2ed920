"""The memory engine emits the same records as Kafka Streams, in order and for the same input, and has the same stores."""

from pathlib import Path

import pytest

from eddyline.adapters.cli.replay.case import read_case
from eddyline.adapters.cli.replay.in_memory import replay_in_memory
from eddyline.adapters.container import Container
from tests.conformance.recorded import (
    DEVIATIONS,
    PLUMBING,
    TOPOLOGIES,
    case_paths,
    parameters,
    path_name,
    recorded,
    recorded_stores,
)


@pytest.mark.parametrize("path", parameters())
def test_a_case_has_the_output_and_stores_of_kafka_streams(path: Path) -> None:
    case, expected = read_case(path), recorded(path)
    actual = replay_in_memory(case, TOPOLOGIES[case.topology].topology(**case.config), Container())
    for number, (actual_record, expected_record) in enumerate(zip(actual["output"], expected.output, strict=False)):
        assert actual_record == expected_record, f"output record {number} differs"
    assert len(actual["output"]) == len(expected.output)
    assert recorded_stores(actual["stores"], expected) == expected.stores


def test_every_case_has_a_known_topology() -> None:
    assert {path.parent.name for path in case_paths()} <= TOPOLOGIES.keys()


def test_every_deviation_and_every_case_of_the_plumbing_is_the_name_of_a_case() -> None:
    assert DEVIATIONS.keys() | PLUMBING.keys() <= set(map(path_name, case_paths()))
