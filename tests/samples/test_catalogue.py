"""The samples as a whole."""

import pytest

from eddyline.application.flows.registry import UnknownFlowError
from eddyline.application.samples.catalogue import FLOWS, SIMULATORS, find_flow


def test_flows_are_found_by_name() -> None:
    assert [find_flow(flow.name) for flow in FLOWS] == list(FLOWS)
    with pytest.raises(UnknownFlowError, match="unknown flow 'stok-stats'; did you mean 'stock-stats'"):
        find_flow("stok-stats")


def test_every_simulator_writes_to_source_topics_of_the_flow_of_its_name() -> None:
    flows = {flow.name: {spec.name for spec in flow.topology().source_topics} for flow in FLOWS}
    assert {simulator.name: set(simulator.topics) for simulator in SIMULATORS}.items() <= flows.items()
    assert flows.keys() - {simulator.name for simulator in SIMULATORS} == {"stock-stats", "top-movers"}
