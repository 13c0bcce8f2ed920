"""The samples as a whole."""

import pytest

from eddyline.application.flows.registry import UnknownFlowError
from eddyline.application.samples.catalogue import ALERT_TOPICS, FLOWS, SIMULATORS, alert_topic, find_flow


def test_flows_are_found_by_name() -> None:
    assert [find_flow(flow.name) for flow in FLOWS] == list(FLOWS)
    with pytest.raises(UnknownFlowError, match="unknown flow 'stok-stats'; did you mean 'stock-stats'"):
        find_flow("stok-stats")


def test_every_simulator_writes_to_source_topics_of_the_flow_of_its_name() -> None:
    flows = {flow.name: {spec.name for spec in flow.topology().source_topics} for flow in FLOWS}
    assert {simulator.name: set(simulator.topics) for simulator in SIMULATORS}.items() <= flows.items()
    assert flows.keys() - {simulator.name for simulator in SIMULATORS} == {"stock-stats", "top-movers"}


def test_every_topic_of_alerts_is_a_sink_of_a_flow_with_these_types() -> None:
    sinks = {spec.name: spec for flow in FLOWS for spec in flow.topology().sink_topics}
    for alerts in ALERT_TOPICS:
        assert (sinks[alerts.topic].key_type, sinks[alerts.topic].value_type) == (alerts.key_type, alerts.value_type)
        assert alert_topic(alerts.topic) is alerts
