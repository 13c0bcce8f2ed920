"""The memory engine gives what Kafka Streams gives: every record, in order, after the same input, and the stores at the end."""

from pathlib import Path

import pytest

from eddyline.adapters.cli.replay.case import read_case
from eddyline.adapters.cli.replay.in_memory import replay_in_memory
from eddyline.adapters.container import Container
from tests.conformance.recorded import DEVIATIONS, TOPOLOGIES, case_paths, parameters, recorded


@pytest.mark.parametrize("path", parameters())
def test_a_case_gives_what_kafka_streams_gives(path: Path) -> None:
    case, expected = read_case(path), recorded(path)
    actual = replay_in_memory(case, TOPOLOGIES[case.topology].topology(**case.config), Container())
    for number, (given, wanted) in enumerate(zip(actual["output"], expected.output, strict=False)):
        assert given == wanted, f"record {number} of the output differs"
    assert len(actual["output"]) == len(expected.output)
    assert actual["stores"] == expected.stores


def test_every_topology_of_the_cases_is_known() -> None:
    assert {path.parent.name for path in case_paths()} <= TOPOLOGIES.keys()


def test_every_deviation_names_a_case() -> None:
    assert DEVIATIONS.keys() <= {f"{path.parent.name}/{path.stem}" for path in case_paths()}
