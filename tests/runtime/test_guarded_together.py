"""Records that a task with exception handlers processes together, compared with the same records one by one."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline import TopologyBuilder, hopping, on_window_close, tumbling, until_window_closes
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.application.operators.output import Output
from eddyline.application.ports.state_store import StoreChange
from eddyline.application.runtime.input.record_queue import IncomingRecord
from eddyline.application.runtime.plan.failures import ExceptionHandlers
from eddyline.application.runtime.task.guarded import GuardedTask
from tests.adapters.memory.running import built
from tests.runtime.columns_flows import fails_on
from tests.runtime.together import TogetherOnly, by_topic, incoming

TABLES: dict[str, Callable[[Any], Any]] = {
    "keys": lambda group: group.aggregate(str, _added, value=str, store="s"),
    "counts": lambda group: group.count(store="s"),
    "windows": lambda group: group.windowed_by(tumbling(4, grace=2)).aggregate(str, _added, value=str, store="s"),
    "panes": lambda group: group.windowed_by(hopping(6, advance=2, grace=3)).aggregate(
        str, _added, merge=lambda one, other: (one + other)[-6:], value=str, store="s"
    ),
    "closed": lambda group: group.windowed_by(tumbling(4, grace=2), emit_strategy=on_window_close()).aggregate(
        str, _added, value=str, store="s"
    ),
    "suppressed": lambda group: (
        group.windowed_by(tumbling(4, grace=2)).aggregate(str, _added, value=str, store="s").suppress(until_window_closes())
    ),
}
VALUES = ["1", "2", "map", "add", "end", "state", None]


def _added(text: str, value: str) -> str:
    fails_on("add")(value)
    return (text + value)[-6:]


def _end(result: Any) -> Any:
    if str(result).endswith("end"):
        msg = "bad end"
        raise ValueError(msg)
    return result


def _flow(table: str) -> Callable[[TopologyBuilder], None]:
    def define(builder: TopologyBuilder) -> None:
        stream = builder.stream("in", key=str, value=str).filter(lambda _, value: value != "2", drop_reason="two")
        checked = stream.map_values(fails_on("map"), value=str, name="checked")
        TABLES[table](checked.group_by_key()).to_stream().map_values(_end, value=str, name="ended").to("out")
        checked.to("copy")

    return define


def _check_state(changes: Sequence[tuple[str, StoreChange]]) -> None:
    if any(change.value is not None and str(change.value[0]).endswith("state") for _, change in changes):
        msg = "state cannot be encoded"
        raise ValueError(msg)


class _OneByOne(GuardedTask):
    def process_all(self, records: Sequence[IncomingRecord]) -> Sequence[int]:
        return self.process_each(records)


def _task(kind: type[GuardedTask], table: str, emit: str, **options: Any) -> GuardedTask:
    handlers = ExceptionHandlers("continue", "continue")
    return kind(built(_flow(table)), 0, 0, handlers=handlers, stores=MemoryStateStores(), emit=emit, **options)


def _observed(task: GuardedTask) -> tuple[Any, ...]:
    outputs = by_topic([output[:5] for output in task.take_output()])
    failures = [(failure.context, str(failure.error)) for failure in task.take_failures()]
    drops, processed = dict(task.take_drops()), dict(task.take_processed())
    dropped = sorted(task.take_dropped(), key=repr)  # those of different operators have no order
    return outputs, failures, drops, dropped, bool(processed), task.numbers(), list(task.stores["s"].snapshot())


BATCHES = st.lists(
    st.lists(
        st.builds(
            incoming,
            st.integers(0, 9),
            st.sampled_from(["a", "a", "b", None]),
            st.sampled_from([value for value in VALUES if value != "state"]),
            st.integers(0, 14) | st.just(-1),
            st.just(()),
        ),
        min_size=1,
        max_size=10,
    ),
    max_size=4,
)


@pytest.mark.parametrize("table", TABLES)
@given(emit=st.sampled_from(["latest", "every-update"]), batches=BATCHES, debug=st.booleans())
def test_what_fails_is_left_out_as_one_by_one(table: str, emit: str, batches: list[list[IncomingRecord]], *, debug: bool) -> None:
    options = {"keep_dropped": True, "count_by_node": debug}
    together, one_by_one = (_task(kind, table, emit, **options) for kind in (GuardedTask, _OneByOne))
    for number, records in enumerate(batches):
        for task in (together, one_by_one):
            task.process_all(records)
            if number % 2:
                task.commit()
        assert _observed(together) == _observed(one_by_one)


class _TogetherOnly(TogetherOnly, GuardedTask):
    def process_each(self, records: Iterable[IncomingRecord]) -> Sequence[int]:
        pytest.fail(f"one by one: {records}")


@pytest.mark.parametrize("table", ["keys", "counts", "windows", "panes"])
@pytest.mark.parametrize("emit", ["latest", "every-update"])
def test_records_of_which_none_fails_are_processed_together(table: str, emit: str) -> None:
    together, one_by_one = (_task(kind, table, emit, check_state=_check_state) for kind in (_TogetherOnly, _OneByOne))
    for task in (together, one_by_one):
        for offset in range(0, 9, 3):
            task.process_all([incoming(offset + number, "ab"[number % 2], "1", offset + number) for number in range(3)])
        task.commit()
    assert _observed(together) == _observed(one_by_one)


@pytest.mark.parametrize("table", ["keys", "windows", "panes"])
@pytest.mark.parametrize("emit", ["latest", "every-update"])
def test_a_record_whose_state_cannot_be_encoded_is_left_out(table: str, emit: str) -> None:
    task = _task(GuardedTask, table, emit, check_state=_check_state)
    task.process_all([incoming(offset, "k", value, 10) for offset, value in enumerate(["1", "3", "state"])])
    task.commit()
    assert [failure.context.offset for failure in task.take_failures()] == [2]
    values = [output.value for output in task.take_output() if output.topic == "out"]
    assert values
    assert not any(value.endswith("state") for value in values)


@pytest.mark.parametrize("table", ["keys", "windows", "panes"])
def test_the_latest_update_has_the_records_of_all_batches_since_the_commit(table: str) -> None:
    task = _task(GuardedTask, table, "latest")
    for offset, value in enumerate(["1", "3", "4"]):
        task.process_all([incoming(offset, "k", value, 10)])
    task.commit()
    assert {output.value for output in task.take_output() if output.topic == "out"} == {"134"}


def test_a_merge_that_fails_at_the_commit_leaves_out_the_updates_of_its_key() -> None:
    def merge(one: str, other: str) -> str:
        return fails_on("bad")(max(one, other))

    def define(builder: TopologyBuilder) -> None:
        windows = builder.stream("in", key=str, value=str).group_by_key().windowed_by(hopping(6, advance=2, grace=3))
        windows.aggregate(str, max, merge=merge, value=str, store="s").to_stream().to("out")

    handlers = ExceptionHandlers("continue", "continue")
    task = GuardedTask(built(define), 0, 0, handlers=handlers, stores=MemoryStateStores(), emit="latest")
    values = [("a", "1", 10), ("a", "bad", 12), ("b", "1", 10), ("b", "2", 12)]
    task.process_all([incoming(offset, key, value, timestamp) for offset, (key, value, timestamp) in enumerate(values)])
    task.commit()
    assert [(failure.context.key, str(failure.error)) for failure in task.take_failures()] == [("a", "bad bad")]
    assert {output.key.key for output in task.take_output()} == {"b"}


@pytest.mark.parametrize("table", ["closed", "suppressed"])
def test_results_of_windows_that_close_together_are_encoded_together(table: str) -> None:
    produced: list[int] = []

    def produce(outputs: Sequence[Output]) -> Sequence[Output]:
        produced.append(sum(output.topic == "out" for output in outputs))
        return list(outputs)

    task = _task(GuardedTask, table, "every-update", produce=produce)
    task.process_all([incoming(offset, "k", "1", 10 * offset) for offset in range(6)])
    assert [number for number in produced if number] == [5]
    assert len([output for output in task.take_routed() if output.topic == "out"]) == 5
