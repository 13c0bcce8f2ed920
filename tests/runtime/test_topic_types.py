"""The types of topics choose their codecs."""

from typing import Any

from eddyline.application.ports.codec import TopicTypes
from eddyline.application.runtime.plan.topic_types import codec_type, topic_types
from eddyline.application.topology import TopologyBuilder
from eddyline.application.topology.types import UNKNOWN


def test_topics_that_are_read_and_written_have_their_names_and_the_types_of_their_keys_and_values() -> None:
    builder = TopologyBuilder()
    builder.stream("orders", key=str, value=int).to("copies")
    builder.stream("clicks", key=bytes, value=float).to("more-copies")
    read, written = topic_types(builder.build())
    assert sorted(read) == [TopicTypes("clicks", bytes, float), TopicTypes("orders", str, int)]
    assert sorted(written) == [TopicTypes("copies", str, int), TopicTypes("more-copies", bytes, float)]


def test_a_type_that_the_topology_does_not_know_is_any() -> None:
    assert codec_type(UNKNOWN) is Any
    assert codec_type(str) is str
    assert codec_type(None) is None
