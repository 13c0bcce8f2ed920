"""A version writes to topics of its own and reads what all versions read."""

import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.adapters.memory.engine import MemoryEngine
from eddyline.application.flows.flow import Flow
from eddyline.application.samples.catalogue import FLOWS
from eddyline.application.topology import Topology, TopologyBuilder, TopologyError
from eddyline.application.topology.nodes import SinkNode
from eddyline.application.topology.versions import versioned, with_version


def _names(topology: Topology) -> tuple[set[str], set[str]]:
    return {spec.name for spec in topology.source_topics}, {spec.name for spec in topology.sink_topics}


def _by_first_letter(_key: str, word: str) -> str:
    return f"words-{word[0]}"


def test_what_is_written_gets_the_versions_name_and_what_is_only_read_keeps_its_own() -> None:
    builder = TopologyBuilder()
    builder.stream("lines", key=str, value=str).group_by_key().count(store="counts").to_stream().to("counts")
    assert _names(with_version(builder.build(), "v2")) == ({"lines"}, {"counts-v2"})


def test_a_topic_that_is_written_and_read_back_is_the_versions_own_on_both_sides() -> None:
    builder = TopologyBuilder()
    builder.stream("lines", key=str, value=str).through("checked").to("done")
    topology = with_version(builder.build(), "v2")
    assert _names(topology) == ({"lines", "checked-v2"}, {"checked-v2", "done-v2"})
    engine = MemoryEngine(topology)
    engine.pipe("lines", "k", "to be", timestamp=1)
    assert [record.value for record in engine.outputs("done-v2")] == ["to be"]


def test_a_circle_stays_closed() -> None:
    builder = TopologyBuilder()
    lines = builder.stream("lines", key=str, value=str)
    lines.merge(builder.stream("again", key=str, value=str)).to("again")
    assert _names(with_version(builder.build(), "b")) == ({"lines", "again-b"}, {"again-b"})


def test_topics_that_records_choose_get_the_ending_too_also_on_a_worker() -> None:
    builder = TopologyBuilder()
    builder.stream("words", key=str, value=str).to(_by_first_letter)
    topology = pickle.loads(pickle.dumps(with_version(builder.build(), "v2")))
    (sink,) = (node for node in topology.nodes if isinstance(node, SinkNode))
    assert not isinstance(sink.topic, str)
    assert sink.topic("k", "tide") == "words-t-v2"


@pytest.mark.parametrize("flow", FLOWS, ids=lambda flow: flow.name)
def test_steps_stores_and_sub_topologies_of_every_flow_stay_as_they_are(flow: Flow) -> None:
    one = flow.topology()
    two = with_version(one, "v2")
    assert [node.name for node in two.nodes] == [node.name for node in one.nodes]
    assert two.store_specs == one.store_specs
    assert [sub.nodes for sub in two.sub_topologies] == [sub.nodes for sub in one.sub_topologies]
    assert two.repartition_topics.keys() == one.repartition_topics.keys()
    read, written = _names(one)
    assert _names(two) == ({versioned(name, "v2") if name in written else name for name in read}, {f"{n}-v2" for n in written})


def test_a_version_of_a_version_is_a_version() -> None:
    builder = TopologyBuilder()
    builder.stream("lines", key=str, value=str).to("out")
    assert _names(with_version(with_version(builder.build(), "v2"), "b"))[1] == {"out-v2-b"}


@given(st.text(st.sampled_from("abcXYZ019._-"), min_size=1, max_size=20))
def test_every_legal_version_parts_the_outputs_of_two(version: str) -> None:
    builder = TopologyBuilder()
    builder.stream("lines", key=str, value=str).to("out")
    one = builder.build()
    assert _names(with_version(one, version))[1].isdisjoint(_names(one)[1])


@pytest.mark.parametrize("version", ["", "v 2", "v/2", "ä", "x" * 250])
def test_an_illegal_version_is_refused(version: str) -> None:
    builder = TopologyBuilder()
    builder.stream("lines", key=str, value=str).for_each(_nothing)
    with pytest.raises(TopologyError, match=r"the version name .* is not legal"):
        with_version(builder.build(), version)


def test_a_name_that_becomes_too_long_is_refused_with_its_length() -> None:
    with pytest.raises(TopologyError, match=r"is not legal: it has 251 characters; use 1 to 249 letters"):
        versioned("x" * 248, "v2")


def _nothing(_key: Any, _value: Any) -> None:
    pass
