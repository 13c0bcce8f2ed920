"""What cannot be part of a topology is refused with what to write in its place."""

from collections.abc import Callable
from typing import Any

import pytest

from eddyline import (
    Flow,
    FlowSettingError,
    TopologyBuilder,
    TopologyError,
    custom_store,
    key_value_store,
    session,
    session_store,
    tumbling,
    window_store,
)
from tests.topology.test_checks import Forwarding


def builder() -> Any:
    return TopologyBuilder()


def lines(builder: TopologyBuilder | None = None) -> Any:
    return (builder or TopologyBuilder()).stream("lines", key=str, value=str)


ENDED = "which ends stream 'lines' and returns nothing; assign the stream to a variable, and call both on it"


def grouped() -> Any:
    return lines().group_by_key()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: lines().windowed_by,
            "a Stream has no 'windowed_by', which a GroupedStream has; write .group_by_key().windowed_by(…)",
        ),
        (lambda: lines().suppress, "a Stream has no 'suppress', which a Table has; write .to_table().suppress(…)"),
        (lambda: lines().groupByKey, "a Stream has no 'groupByKey'; did you mean 'group_by_key'?"),
        (lambda: lines().foreach, "a Stream has no 'foreach'; did you mean 'for_each'?"),
        (lambda: lines().peekk, "a Stream has no 'peekk'; did you mean 'peek'?"),
        (lambda: grouped().to, "a GroupedStream has no 'to', which a Stream has; write .count().to_stream().to(…)"),
        (
            lambda: grouped().windowed_by(tumbling(1, grace=0)).to_stream,
            "a WindowedStream has no 'to_stream', which a Table has; write .count().to_stream(…)",
        ),
        (
            lambda: grouped().windowed_by(session(1, grace=0)).windowed_by,
            "a SessionWindowedStream has no 'windowed_by'; choose one of: aggregate, count, reduce",
        ),
        (lambda: grouped().count().to, "a Table has no 'to', which a Stream has; write .to_stream().to(…)"),
        (
            lambda: grouped().count().windowed_by,
            "a Table has no 'windowed_by', which a GroupedStream has; write .to_stream().group_by_key().windowed_by(…)",
        ),
        (
            lambda: lines().split().branch(bool, name="x").to,
            "a BranchedStream has no 'to', which a Stream has; write .default_branch()[\"default\"].to(…)",
        ),
        (lambda: builder().filter, "a TopologyBuilder has no 'filter', which a Stream has; write .stream(…).filter(…)"),
        (lambda: builder().addSource, "a TopologyBuilder has no 'addSource'; did you mean 'add_source'?"),
        (
            lambda: lines().to("out").to,
            f"'to' follows 'to', {ENDED}",
        ),
        (
            lambda: lines().for_each(print).filter,
            f"'filter' follows 'for_each', {ENDED}",
        ),
    ],
)
def test_an_operator_that_is_missing_leads_to_the_one_that_is_meant(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(TopologyError) as error:
        call()
    assert str(error.value) == message
    assert isinstance(error.value, AttributeError)


def test_a_stream_answers_whether_it_has_an_attribute() -> None:
    assert not hasattr(lines(), "windowed_by")
    assert not hasattr(lines(), "__deepcopy__")


def test_a_flow_names_what_it_calls_on_a_stream_that_a_function_forgot_to_return() -> None:
    def cleaned(builder: TopologyBuilder) -> Any:
        lines(builder).filter(lambda _key, _line: True)

    flow = Flow("f", "Does something.", lambda builder: cleaned(builder).to("out"))
    with pytest.raises(TopologyError, match=r"flow 'f' calls 'to' on None; a function .* returned nothing: end it with return"):
        flow.topology()
    unrelated: Any = None
    with pytest.raises(AttributeError, match="'NoneType' object has no attribute 'upper'"):
        Flow("f", "Does something.", lambda _: unrelated.upper()).topology()


def sources() -> TopologyBuilder:
    builder = TopologyBuilder()
    builder.add_source("source", "lines", key=str, value=str)
    builder.add_sink("sink", "out", parents=["source"])
    builder.global_table("rows", key=str, value=str)
    return builder


@pytest.mark.parametrize(
    ("parents", "message"),
    [
        (["sink"], "has the parent 'sink', which is a sink and forwards nothing; pass a parent of the sink, such as 'source'"),
        (["source", "sink"], "has the parent 'sink', which is a sink"),
        (["rows"], "has the parent 'rows' of a global table or store, which forwards nothing"),
        (["rows-table"], "has the parent 'rows-table' of a global table or store, which forwards nothing"),
        ("source", r"parents= of operator 'op' is 'source'; pass a list of names: parents=\['source'\]"),
    ],
)
def test_a_parent_forwards_records(parents: Any, message: str) -> None:
    with pytest.raises(TopologyError, match=message):
        sources().add_processor("op", Forwarding, parents=parents)
    with pytest.raises(TopologyError, match=message):
        sources().add_sink("op", "more", parents=parents)


def test_stores_are_a_list_of_names() -> None:
    with pytest.raises(TopologyError, match=r"stores= of operator 'op' is 'seen'; pass a list of names: stores=\['seen'\]"):
        lines().process(Forwarding, stores="seen", name="op")


WITH_TYPES: dict[str, Callable[[Any], Any]] = {
    "stream": lambda t: TopologyBuilder().stream("lines", key=t, value=str),
    "value of a stream": lambda t: TopologyBuilder().stream("lines", key=str, value=t),
    "table": lambda t: TopologyBuilder().table("lines", key=str, value=t),
    "global table": lambda t: TopologyBuilder().global_table("lines", key=t, value=str),
    "source": lambda t: TopologyBuilder().add_source("source", "lines", key=t, value=str),
    "processor": lambda t: sources().add_processor("op", Forwarding, parents=["source"], value=t),
    "map": lambda t: lines().map(lambda key, line: (key, line), key=t, value=str),
    "map_values": lambda t: lines().map_values(lambda line: line, value=t),
    "select_key": lambda t: lines().select_key(lambda key, _line: key, key=t),
    "group_by": lambda t: lines().group_by(lambda key, _line: key, key=t),
    "aggregate": lambda t: grouped().aggregate(str, max, value=t),
    "store": lambda t: TopologyBuilder().add_state_store(key_value_store("s", key=t, value=str)),
    "window store": lambda t: TopologyBuilder().add_state_store(window_store("s", key=str, value=t, retention=1, window_size=1)),
    "session store": lambda t: TopologyBuilder().add_state_store(session_store("s", key=str, value=t, retention=1)),
    "own store": lambda t: TopologyBuilder().add_state_store(custom_store("s", dict, key=t, value=str)),
}


@pytest.mark.parametrize("operator", WITH_TYPES)
@pytest.mark.parametrize("given", ["str", "a text", 3, (str, int), [str], {"id": int}, Forwarding.process])
def test_a_type_is_no_name_and_no_object(operator: str, given: Any) -> None:
    with pytest.raises(TopologyError, match=r"the (key|value) type of (operator|store) '.*' is .*, which is no type"):
        WITH_TYPES[operator](given)


@pytest.mark.parametrize("given", [str, object, Any, int | None, tuple[str, ...], frozenset[int]])
def test_what_annotations_are_written_with_is_a_type(given: Any) -> None:
    for operator, define in WITH_TYPES.items():
        if operator != "source":
            define(given)


@pytest.mark.parametrize("name", ["f f", "", "ä", "a/b", 3])
def test_the_name_of_a_flow_can_be_part_of_the_names_of_topics(name: Any) -> None:
    with pytest.raises(FlowSettingError, match="invalid flow name"):
        Flow(name, "Does something.", lambda builder: lines(builder).to("out"))
