"""Names of topics are checked where they are read and written."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from eddyline import TopologyBuilder, TopologyError

nothing: Any = None
number: Any = 5


@pytest.mark.parametrize(
    ("define", "message"),
    [
        (lambda b: b.stream("a", key=str, value=str).to(""), "invalid topic name ''"),
        (lambda b: b.stream("a", key=str, value=str).to("a b", name="x"), "invalid topic name 'a b': it contains ' '"),
        (lambda b: b.stream("a", key=str, value=str).through("", name="x"), "invalid topic name ''"),
        (lambda b: b.stream("a b", key=str, value=str), "invalid topic name 'a b': it contains ' '"),
        (lambda b: b.stream("a", key=str, value=str).to("a b"), "invalid topic name 'a b': it contains ' '"),
        (lambda b: b.stream("", key=str, value=str, name="x"), "invalid topic name ''"),
        (lambda b: b.table("a/b", key=str, value=str, store="s", name="x"), "name 'a/b': it contains '/'"),
        (lambda b: b.global_table("..", key=str, value=str, store="s"), "name '..': it is the name of a folder"),
        (
            lambda b: b.stream("a", key=str, value=str).to(number),
            "the topic of operator 'a-sink' is 5; pass its name, or a function of (key, value)",
        ),
        (
            lambda b: b.stream("a", key=str, value=str).to(nothing),
            "the topic of operator 'a-sink' is None; pass its name, or a function of (key, value)",
        ),
        (
            lambda b: b.stream("a", key=str, value=str).repartition(partitions="3"),
            "repartition 'a' must have 1 or more partitions, but has partitions='3'",
        ),
    ],
)
def test_an_invalid_topic(define: Callable[[TopologyBuilder], object], message: str) -> None:
    with pytest.raises(TopologyError, match=re.escape(message)):
        define(TopologyBuilder())


def test_a_pattern_and_a_function_are_no_names() -> None:
    builder = TopologyBuilder()
    builder.stream(re.compile("a .*"), key=str, value=str).to(lambda key, _value: key)
    assert list(builder.build().source_patterns) == ["/a .*/"]
