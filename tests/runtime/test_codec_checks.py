"""Types that no codec can write are found before a run starts."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from eddyline import Stream, TopologyBuilder
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.application.runtime.topic_types import check_codecs


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

    with pytest.raises(TypeError, match=r"JSON cannot represent type '.*Thread"):
        check(lambda numbers: numbers.group_by_key().aggregate(threading.Thread, add, store="threads"))


def test_other_types_pass() -> None:
    check(lambda numbers: numbers.map_values(to_number).to("out"))
