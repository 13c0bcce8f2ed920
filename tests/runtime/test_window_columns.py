"""Many records that are aggregated in windows at once, compared with the same records one by one."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline import TopologyBuilder, hopping, tumbling, unlimited
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.application.topology.windows import EnumerableWindows
from tests.adapters.memory.running import built, run_of
from tests.runtime.together import (
    TogetherOnly,
    added,
    added_with_key,
    assert_that_the_record_is_named,
    checked,
    incoming,
    new_task,
    observed,
    record_lists,
)

WINDOWS: dict[str, EnumerableWindows] = {
    "hopping": hopping(6, advance=2, grace=3),
    "hopping unevenly": hopping(5, advance=3, grace=0),
    "hopping with gaps": hopping(4, advance=4, grace=1),
    "tumbling": tumbling(4, grace=0),
    "unlimited": unlimited(start=5),
}


DOWNSTREAM: dict[str, Callable[[Any], Any]] = {
    "nothing": lambda stream: stream,
    "map values": lambda stream: stream.map_values(lambda text: text and text[::-1], value=str),
    "map values with key": lambda stream: stream.map_values(
        lambda key, text: f"{key.window.start}{text}", value=str, with_key=True
    ),
    "map": lambda stream: stream.map(lambda key, text: (key.key, f"{key.window.end}{text}"), key=str, value=str),
}


def _flow(windows: EnumerableWindows, downstream: str, *, with_key: bool = False) -> Callable[[TopologyBuilder], None]:
    def define(builder: TopologyBuilder) -> None:
        group: Any = builder.stream("in", key=str, value=str).group_by_key().windowed_by(windows)
        adder: Any = added_with_key if with_key else added
        table = group.aggregate(str, adder, with_key=with_key, value=str, store="s")
        DOWNSTREAM[downstream](table.to_stream()).to("out")

    return define


RECORDS = record_lists(["1", "2", "x"])


@pytest.mark.parametrize("windows", WINDOWS)
@given(downstream=st.sampled_from(sorted(DOWNSTREAM)), with_key=st.booleans(), batches=st.lists(RECORDS, max_size=3))
def test_records_are_aggregated_together_as_one_by_one(
    windows: str, downstream: str, batches: list[list[Any]], *, with_key: bool
) -> None:
    define = _flow(WINDOWS[windows], downstream, with_key=with_key)
    together, one_by_one = new_task(define, TogetherOnly), new_task(define)
    changes: tuple[dict[Any, Any], dict[Any, Any]] = {}, {}
    for batch in batches:
        records = [incoming(offset, *found) for offset, found in enumerate(batch)]
        together.process_all(records)
        one_by_one.process_each(records)
        assert observed(together) == observed(one_by_one)
        for found, task in zip(changes, (together, one_by_one), strict=True):
            found.update(((name, key), value) for name, (key, value) in task.drain_changes())
    assert changes[0] == changes[1]


def _panes(builder: TopologyBuilder, *, with_key: bool = False) -> None:
    group: Any = builder.stream("in", key=str, value=str).group_by_key().windowed_by(WINDOWS["hopping"])
    adder: Any = (lambda key, text, value: max(text, key + value)) if with_key else max
    group.aggregate(str, adder, merge=max, with_key=with_key, value=str, store="s").to_stream().to("out")


@given(with_key=st.booleans(), commits=st.lists(st.lists(RECORDS, max_size=3), max_size=3))
def test_records_are_aggregated_in_panes_together_as_one_by_one(commits: list[list[list[Any]]], *, with_key: bool) -> None:
    define = partial(_panes, with_key=with_key)
    together, one_by_one = new_task(define, TogetherOnly, emit="latest"), new_task(define, emit="latest")
    for batches in commits:
        for batch in batches:
            records = [incoming(offset, *found) for offset, found in enumerate(batch)]
            together.process_all(records)
            one_by_one.process_each(records)
        together.commit()
        one_by_one.commit()
        assert observed(together) == observed(one_by_one)
        assert dict(together.drain_changes()) == dict(one_by_one.drain_changes())


def test_records_in_panes_are_processed_together() -> None:
    task = new_task(_panes, emit="latest")
    assert set(task.together) == {"in"}
    task.process_all([incoming(0, "a", "1", 4), incoming(1, "a", "2", 5)])
    task.commit()
    assert [(output.key.window.start, output.value) for output in task.take_output()] == [(0, "2"), (2, "2"), (4, "2")]


@pytest.mark.parametrize("windows", WINDOWS)
@given(with_key=st.booleans(), commits=st.lists(st.lists(RECORDS, max_size=3), max_size=3))
def test_the_latest_updates_of_records_together_are_those_of_one_by_one(
    windows: str, commits: list[list[list[Any]]], *, with_key: bool
) -> None:
    define = _flow(WINDOWS[windows], "nothing", with_key=with_key)
    together, one_by_one = new_task(define, TogetherOnly, emit="latest"), new_task(define, emit="latest")
    changes: tuple[dict[Any, Any], dict[Any, Any]] = {}, {}
    for batches in commits:
        for batch in batches:
            records = [incoming(offset, *found) for offset, found in enumerate(batch)]
            assert not any(together.process_all(records))
            one_by_one.process_each(records)
        for found, task in zip(changes, (together, one_by_one), strict=True):
            task.commit()
            found.update(((name, key), value) for name, (key, value) in task.drain_changes())
        assert observed(together) == observed(one_by_one)
    assert changes[0] == changes[1]


def _with_old_values(builder: TopologyBuilder) -> None:
    group: Any = builder.stream("in", key=str, value=str).group_by_key().windowed_by(WINDOWS["hopping"])
    table = group.aggregate(str, added, value=str, store="s")
    grouped = table.group_by(lambda key, text: (key.key, text), key=str, value=str)
    grouped.aggregate(
        str, lambda all_, text: f"{all_}+{text}", lambda all_, text: f"{all_}-{text}", value=str, store="t"
    ).to_stream().to("out")


@given(batches=st.lists(RECORDS, max_size=4))
def test_the_old_value_of_a_latest_update_is_that_of_the_commit_before(batches: list[list[Any]]) -> None:
    together, one_by_one = new_task(_with_old_values, emit="latest"), new_task(_with_old_values, emit="latest")
    for batch in batches:
        records = [incoming(offset, *found) for offset, found in enumerate(batch)]
        together.process_all(records)
        one_by_one.process_each(records)
        for task in (together, one_by_one):
            task.commit()
        assert observed(together) == observed(one_by_one)


def test_the_aggregates_of_a_key_are_read_and_put_once(monkeypatch: pytest.MonkeyPatch) -> None:
    task = new_task(_flow(WINDOWS["hopping"], "map values"))
    store, puts = task.stores["s"], []
    put = store.put  # type: ignore[attr-defined] # a window store

    def put_and_note(_self: object, *arguments: Any) -> None:
        puts.append(arguments)
        put(*arguments)

    monkeypatch.setattr(type(store), "put", put_and_note)
    task.process_all([incoming(offset, "k", "1", 10) for offset in range(5)])
    assert puts == [("k", ("11111", 10), start) for start in (6, 8, 10)]
    (columns,) = task.take_columns()
    assert columns.records.values == ["1"] * 3 + ["11"] * 3 + ["111"] * 3 + ["1111"] * 3 + ["11111"] * 3
    assert columns.records.origins == [0] * 3 + [1] * 3 + [2] * 3 + [3] * 3 + [4] * 3


def _failing_mapper(builder: TopologyBuilder) -> None:
    group = builder.stream("in", key=str, value=str).filter(lambda _, value: bool(value)).group_by_key()
    table = group.windowed_by(WINDOWS["hopping"]).aggregate(str, lambda _, value: value, value=str, store="s")
    table.to_stream().map_values(checked, value=str, name="checked").to("out")


def _failing_adder(builder: TopologyBuilder) -> None:
    group = builder.stream("in", key=str, value=str).filter(lambda _, value: bool(value)).group_by_key()
    group.windowed_by(WINDOWS["hopping"]).aggregate(str, lambda _, value: checked(value), value=str, store="s").to_stream().to(
        "out"
    )


@pytest.mark.parametrize(
    ("define", "emit"), [(_failing_mapper, "every-update"), (_failing_adder, "every-update"), (_failing_adder, "latest")]
)
def test_an_exception_names_the_operator_and_the_record(define: Callable[[TopologyBuilder], None], emit: str) -> None:
    assert_that_the_record_is_named(define, emit)


def test_a_result_that_cannot_be_encoded_is_named_with_the_record_that_caused_it() -> None:
    def define(builder: TopologyBuilder) -> None:
        group = builder.stream("in", key=str, value=str).group_by_key().windowed_by(tumbling(10, grace=0))
        group.aggregate(str, lambda _, value: value if value != "bad" else 5, value=str, store="s").to_stream().to("out")  # type: ignore[arg-type,return-value] # that is the point

    log = MemoryEventLog()
    log.create_topic("in", 1)
    for offset, value in enumerate([b"1", b"2", b"bad", b"3"]):
        log.append("in", b"k%d" % offset, value, offset)
    with pytest.raises(Exception, match="str") as raised:
        run_of(built(define), log).run_available_now()
    assert "record in-0@2" in raised.value.__notes__[0]
    assert "key 'k2'" in raised.value.__notes__[0]


def _two_children(builder: TopologyBuilder) -> None:
    stream = (
        builder.stream("in", key=str, value=str).group_by_key().windowed_by(tumbling(4, grace=0)).count(store="s").to_stream()
    )
    stream.to("out")
    stream.to("copy")


def _filtered(builder: TopologyBuilder) -> None:
    group = builder.stream("in", key=str, value=str).group_by_key().windowed_by(tumbling(4, grace=0))
    group.count(store="s").to_stream().filter(lambda _key, _value: True).to("out")


def _chosen_topic(builder: TopologyBuilder) -> None:
    group = builder.stream("in", key=str, value=str).group_by_key().windowed_by(tumbling(4, grace=0))
    group.count(store="s").to_stream().to(lambda _key, _value: "out")


@pytest.mark.parametrize(("define", "topics"), [(_two_children, ["out", "copy"]), (_filtered, ["out"])])
def test_updates_are_forwarded_together(define: Callable[[TopologyBuilder], None], topics: list[str]) -> None:
    task = new_task(define)
    task.process_all([incoming(0, "k", "1", 1), incoming(1, "k", "1", 2)])
    assert [columns.topic for columns in task.take_columns()] == topics


def test_other_updates_are_forwarded_one_by_one() -> None:
    task = new_task(_chosen_topic)
    task.process_all([incoming(0, "k", "1", 1)])
    assert not task.take_columns()
    assert [output.topic for output in task.take_output()] == ["out"]


def _filtered_table(builder: TopologyBuilder) -> None:
    counts = builder.stream("in", key=str, value=str).group_by_key().windowed_by(WINDOWS["tumbling"]).count(store="s")
    counts.filter(lambda _key, count: count < 3).to_stream(lambda key, _: key.key).to("out")


def test_a_window_that_no_longer_matches_is_deleted_once() -> None:
    task = new_task(_filtered_table)
    task.process_all([incoming(offset, "k", "1", offset) for offset in range(4)])
    (columns,) = task.take_columns()
    assert list(columns.records.values) == [1, 2, None]
