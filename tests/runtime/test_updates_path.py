"""Updates that a commit forwards together, compared with the same updates one by one."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline import TopologyBuilder, hopping, session, tumbling
from eddyline.application.runtime.input.record_queue import IncomingRecord
from eddyline.application.runtime.task.task import Task
from tests.runtime.columns_flows import fails_on, observed, record
from tests.runtime.together import OneByOneTask, TogetherOnly, new_task

TABLES: dict[str, Callable[[Any], Any]] = {
    "no windows": lambda group: group.aggregate(str, _added, value=str, store="s"),
    "windows": lambda group: group.windowed_by(tumbling(4, grace=2)).aggregate(str, _added, value=str, store="s"),
    "panes": lambda group: group.windowed_by(hopping(6, advance=2, grace=3)).aggregate(str, max, merge=max, value=str, store="s"),
    "sessions": lambda group: group.windowed_by(session(2, grace=3)).aggregate(str, max, merge=max, value=str, store="s"),
}
STEPS: dict[str, Callable[[Any], Any]] = {
    "nothing": lambda table: table,
    "filter": lambda table: table.filter(lambda key, text: "1" not in text and key != "b"),
    "map values": lambda table: table.map_values(lambda text: None if text == "2" else text[::-1], value=str),
    "map values with key": lambda table: table.map_values(lambda key, text: f"{key}{text}", value=str, with_key=True),
    "filter and map values": lambda table: table.filter(lambda _, text: len(text) < 3).map_values(
        lambda text: text * 2, value=str
    ),
}
ENDS: dict[str, Callable[[Any], Any]] = {
    "topic": lambda stream: stream.to("out"),
    "mapped": lambda stream: stream.map(lambda key, text: (str(key), (text or "-")[:1]), key=str, value=str).to("out"),
    "filtered": lambda stream: stream.filter(lambda _, text: text != "1").to("out"),
    "several records": lambda stream: stream.flat_map_values(lambda text: list(text or ""), value=str).to("out"),
    "aggregated": lambda stream: (
        stream.group_by(lambda _, text: (text or "-")[:1], key=str)
        .aggregate(str, max, merge=max, value=str, store="t")
        .to_stream()
        .to("out")
    ),
    "two children": lambda stream: [stream.to("out"), stream.to("copy")],
    "a chosen topic": lambda stream: stream.to(lambda _key, text: "out" if text == "1" else "copy"),
    "read by an action": lambda stream: stream.peek(lambda _key, _text: None).to("out"),
}


def _added(text: str, value: str) -> str | None:
    """Return both texts, or delete them."""
    return None if value == "x" else text + value


def _flow(table: str, step: str, end: str) -> Callable[[TopologyBuilder], None]:
    def define(builder: TopologyBuilder) -> None:
        ENDS[end](STEPS[step](TABLES[table](builder.stream("in", key=str, value=str).group_by_key())).to_stream())

    return define


def _task(define: Callable[[TopologyBuilder], None], made: type[Task] = Task) -> Task:
    return new_task(define, made, emit="latest")


RECORDS = st.lists(
    st.builds(
        record,
        st.integers(0, 99),
        st.sampled_from(["a", "a", "b", "c"]),
        st.sampled_from(["1", "2", "3", "x"]),
        st.integers(0, 14),
        st.sampled_from([(), (("h", b"1"),)]),
    ),
    max_size=12,
)


@pytest.mark.parametrize("table", TABLES)
@given(step=st.sampled_from(sorted(STEPS)), end=st.sampled_from(sorted(ENDS)), batches=st.lists(RECORDS, max_size=4))
def test_updates_are_forwarded_together_as_one_by_one(
    table: str, step: str, end: str, batches: list[list[IncomingRecord]]
) -> None:
    define = _flow(table, step, end)
    together = _task(define, Task if end == "a chosen topic" else TogetherOnly)
    one_by_one = _task(define, OneByOneTask)
    for records in batches:
        for task in (together, one_by_one):
            task.process_each(records)
            task.commit()
        assert observed(together) == observed(one_by_one)
        assert dict(together.drain_changes()) == dict(one_by_one.drain_changes())


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("end", ENDS)
def test_updates_are_forwarded_together_where_they_can_be(table: str, end: str) -> None:
    task = _task(_flow(table, "filter and map values", end))
    task.process_each([record(0, "a", "2", 1)])
    task.commit()
    assert bool(task.take_columns()) == (end != "a chosen topic")


def test_old_values_are_filtered_and_mapped_too() -> None:
    def define(builder: TopologyBuilder) -> None:
        table = STEPS["filter and map values"](TABLES["no windows"](builder.stream("in", key=str, value=str).group_by_key()))
        changed = table.group_by(lambda _, text: (text[:1], text), key=str, value=str)
        changed.aggregate(
            str, lambda all_, text: f"{all_}+{text}", lambda all_, text: f"{all_}-{text}", value=str, store="t"
        ).to_stream().to("out")

    together, one_by_one = _task(define), _task(define, OneByOneTask)
    for value in "123":
        for task in (together, one_by_one):
            task.process_each([record(0, "a", value, 1), record(1, "b", value, 2)])
            task.commit()
        found = observed(together)
        assert found[0]
        assert found == observed(one_by_one)


def test_each_child_of_a_table_gets_its_own_copy_of_values_that_may_change() -> None:
    def changed(found: list[str]) -> list[str]:
        found.append("changed")
        return found

    def define(builder: TopologyBuilder) -> None:
        group = builder.stream("in", key=str, value=str).group_by_key()
        table = group.aggregate(list[str], lambda found, value: [*found, value], value=list[str], store="s")
        table.map_values(changed, value=list[str]).to_stream().to("changed")
        table.to_stream().to("out")

    task = _task(define, TogetherOnly)
    task.process_all([record(0, "a", "1", 1), record(1, "a", "2", 2)])
    task.commit()
    assert {output.sink.topic: output.value for output in task.take_output()} == {
        "changed": ["1", "2", "changed"],
        "out": ["1", "2"],
    }


def _failing(builder: TopologyBuilder) -> None:
    table = TABLES["no windows"](builder.stream("in", key=str, value=str).group_by_key())
    table.to_stream().map_values(fails_on("2"), value=str, name="checked").to("out")


def _failing_at_the_end(builder: TopologyBuilder) -> None:
    table = TABLES["no windows"](builder.stream("in", key=str, value=str).group_by_key())
    table.to_stream().group_by_key().aggregate(str, lambda _, text: fails_on("2")(text), value=str, store="t").to_stream().to(
        "out"
    )


@pytest.mark.parametrize("define", [_failing, _failing_at_the_end])
def test_an_exception_names_the_operator_and_the_update(define: Callable[[TopologyBuilder], None]) -> None:
    raised = []
    for made in (Task, OneByOneTask):
        task = _task(define, made)
        task.process_each([record(0, "a", "1", 1), record(1, "b", "2", 2), record(2, "c", "3", 3)])
        with pytest.raises(ValueError, match="bad 2") as found:
            task.commit()
        raised.append(found.value.__notes__)
    assert raised[0] == raised[1]
    assert "key 'b'" in raised[0][0]
