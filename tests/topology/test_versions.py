"""A version of a flow writes to topics of its own and reads the same topics as the other versions."""

import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.application.flows.flow import Flow
from eddyline.application.samples.catalogue import FLOWS
from eddyline.application.topology import Topology, TopologyBuilder, TopologyError
from eddyline.application.topology.graph import versioned, with_version
from eddyline.application.topology.nodes import SinkNode
from eddyline.testing import MemoryEngine


def _names(topology: Topology) -> tuple[set[str], set[str]]:
    return {spec.name for spec in topology.source_topics}, {spec.name for spec in topology.sink_topics}


def _by_first_letter(_key: str, word: str) -> str:
    return f"words-{word[0]}"


def test_topics_that_are_written_are_renamed_and_topics_that_are_only_read_are_not() -> None:
    builder = TopologyBuilder()
    builder.stream("lines", key=str, value=str).group_by_key().count(store="counts").to_stream().to("counts")
    assert _names(with_version(builder.build(), "v2")) == ({"lines"}, {"counts-v2"})


def test_a_topic_that_is_written_and_read_is_renamed_on_both_sides() -> None:
    builder = TopologyBuilder()
    builder.stream("lines", key=str, value=str).through("checked").to("done")
    topology = with_version(builder.build(), "v2")
    assert _names(topology) == ({"lines", "checked-v2"}, {"checked-v2", "done-v2"})
    engine = MemoryEngine(topology)
    engine.pipe("lines", "k", "to be", timestamp=1)
    assert [record.value for record in engine.outputs("done-v2")] == ["to be"]


def test_a_cycle_through_a_topic_remains_a_cycle() -> None:
    builder = TopologyBuilder()
    lines = builder.stream("lines", key=str, value=str)
    lines.merge(builder.stream("retries", key=str, value=str)).to("retries")
    assert _names(with_version(builder.build(), "b")) == ({"lines", "retries-b"}, {"retries-b"})


def test_topics_that_a_function_chooses_are_renamed_too_even_after_pickling() -> None:
    builder = TopologyBuilder()
    builder.stream("words", key=str, value=str).to(_by_first_letter)
    topology = pickle.loads(pickle.dumps(with_version(builder.build(), "v2")))
    (sink,) = (node for node in topology.nodes if isinstance(node, SinkNode))
    assert not isinstance(sink.topic, str)
    assert sink.topic("k", "tide") == "words-t-v2"


@pytest.mark.parametrize("flow", FLOWS, ids=lambda flow: flow.name)
def test_nodes_stores_and_sub_topologies_of_every_flow_keep_their_names(flow: Flow) -> None:
    one = flow.topology()
    two = with_version(one, "v2")
    assert [node.name for node in two.nodes] == [node.name for node in one.nodes]
    assert two.store_specs == one.store_specs
    assert [sub.nodes for sub in two.sub_topologies] == [sub.nodes for sub in one.sub_topologies]
    assert two.repartition_topics.keys() == one.repartition_topics.keys()
    read, written = _names(one)
    assert _names(two) == ({versioned(name, "v2") if name in written else name for name in read}, {f"{n}-v2" for n in written})


def test_a_version_can_have_versions() -> None:
    builder = TopologyBuilder()
    builder.stream("lines", key=str, value=str).to("out")
    assert _names(with_version(with_version(builder.build(), "v2"), "b"))[1] == {"out-v2-b"}


@given(st.text(st.sampled_from("abcXYZ019._-"), min_size=1, max_size=20).filter(lambda name: name not in {".", ".."}))
def test_every_valid_version_has_topics_of_its_own(version: str) -> None:
    builder = TopologyBuilder()
    builder.stream("lines", key=str, value=str).to("out")
    one = builder.build()
    assert _names(with_version(one, version))[1].isdisjoint(_names(one)[1])


@pytest.mark.parametrize("version", ["", ".", "..", "v 2", "v/2", "ä", "x" * 250])
def test_an_invalid_version_is_rejected(version: str) -> None:
    builder = TopologyBuilder()
    builder.stream("lines", key=str, value=str).for_each(_ignore)
    with pytest.raises(TopologyError, match=r"invalid version name '.*': .*; use 1 to 249 ASCII letters"):
        with_version(builder.build(), version)


def test_a_name_that_is_too_long_with_the_version_is_rejected() -> None:
    with pytest.raises(TopologyError, match=r"invalid versioned name .*: it has 251 characters; use 1 to 249 ASCII letters"):
        versioned("x" * 248, "v2")


def _ignore(_key: Any, _value: Any) -> None:
    pass
