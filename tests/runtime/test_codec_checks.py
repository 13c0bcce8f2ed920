"""Types that no codec can write are found before a run starts."""

import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pytest

from eddyline import Stream, TopologyBuilder
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.application.ports.codec import Codec, TopicTypes
from eddyline.application.runtime.plan.topic_types import check_codecs
from eddyline.application.topology.errors import TopologyError


def to_thread(_value: int) -> threading.Thread:
    raise NotImplementedError


def to_number(value: int) -> int:
    return value


def check(define: Callable[[Stream[str, int]], Any]) -> None:
    builder = TopologyBuilder()
    define(builder.stream("numbers", key=str, value=int))
    check_codecs(builder.build(), JsonCodecs())


def test_the_topic_and_the_type_of_a_value_that_cannot_be_written_are_named() -> None:
    with pytest.raises(TypeError, match="the values of topic 'threads': JSON cannot represent type 'Thread'"):
        check(lambda numbers: numbers.map_values(to_thread).to("threads"))


def test_the_type_of_a_value_that_a_store_cannot_keep_is_named() -> None:
    def add(thread: threading.Thread, _value: int) -> threading.Thread:
        return thread

    with pytest.raises(
        TopologyError, match=r"the values of store 'threads' .* state cannot represent type 'Thread': .* use a dataclass"
    ):
        check(lambda numbers: numbers.group_by_key().aggregate(threading.Thread, add, store="threads"))


def test_other_types_pass() -> None:
    check(lambda numbers: numbers.map_values(to_number).to("out"))


class RecordingCodecs(JsonCodecs):
    """Codecs that note what they are asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.keys: list[tuple[str, Any]] = []
        self.checked: list[list[TopicTypes]] = []

    def configured(self, choices: Mapping[str, str]) -> "RecordingCodecs":
        del choices
        return self

    def for_key(self, topic: str, key_type: Any) -> Codec:
        self.keys.append((topic, key_type))
        return super().for_key(topic, key_type)

    def check(self, reads: Iterable[TopicTypes], writes: Iterable[TopicTypes]) -> None:
        self.checked = [list(reads), list(writes)]


def test_the_keys_of_all_topics_and_the_schemas_of_what_is_read_and_written_are_checked() -> None:
    builder, codecs = TopologyBuilder(), RecordingCodecs()
    builder.stream("numbers", key=str, value=int).map_values(to_number).to("out")
    check_codecs(builder.build(), codecs)
    assert codecs.keys == [("numbers", str), ("out", str)]
    assert codecs.checked == [[TopicTypes("numbers", str, int)], [TopicTypes("out", str, int)]]
