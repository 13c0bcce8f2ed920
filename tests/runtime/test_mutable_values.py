"""Functions and processors that change values in place: what was stored or emitted before stays as it was."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from eddyline import Processor, Record, TopologyBuilder, hopping, join_windows, key_value_store, session, sliding, tumbling
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.engine import MemoryEngine
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.adapters.rocksdb.state_store import RocksDBStateStores
from eddyline.application.operators.output import Output
from eddyline.application.runtime.task.task import Task
from eddyline.application.topology.types import Emit
from tests.runtime.together import incoming

Flow: TypeAlias = Callable[[TopologyBuilder], None]
Items: TypeAlias = "list[str]"


@dataclass
class Cart:
    items: list[str] = field(default_factory=list)
    size: int = 0

    def add(self, item: str) -> "Cart":
        self.items.append(item)
        self.size += 1
        return self


@dataclass(frozen=True)
class Parcel:
    items: list[str]


def append(items: list[str], item: str) -> list[str]:
    items.append(item)
    return items


def extend(items: list[str], others: list[str]) -> list[str]:
    items.extend(others)
    return items


def remove(items: list[str], item: str) -> list[str]:
    items.remove(item)
    return items


def _pack(parcel: Parcel, item: str) -> Parcel:
    parcel.items.append(item)
    return parcel


def _tally(counts: dict[str, int], item: str) -> dict[str, int]:
    counts[item] = counts.get(item, 0) + 1
    return counts


def _built(define: Flow) -> Any:
    builder = TopologyBuilder()
    define(builder)
    return builder.build()


def _values(outputs: Sequence[Output]) -> list[Any]:
    return [output.value for output in outputs if output.topic == "out"]


def _emitted(define: Flow, values: Sequence[Any], *, step_ms: int = 1, emit: Emit = "every-update") -> list[Any]:
    """Return the values in topic `out` for records of one key, whether they are processed one by one or together."""
    found = []
    for handler in ("fail", "continue"):
        engine = MemoryEngine(_built(define), emit=emit, processing_exception_handler=handler)
        for number, value in enumerate(values):
            engine.pipe("in", "ann", value, timestamp=number * step_ms)
        engine.commit()
        found.append(_values(engine.outputs()))
    together = MemoryEngine(_built(define), emit=emit)
    together.pipe_all([("in", "ann", value, number * step_ms) for number, value in enumerate(values)])
    found.append(_values(together.outputs()))
    assert found[1:] == found[:-1]
    return found[0]


def _of_items(aggregate: Callable[[Any], Any], *, value: Any = str) -> Flow:
    def define(builder: TopologyBuilder) -> None:
        aggregate(builder.stream("in", key=str, value=value).group_by_key()).to_stream().map(
            lambda _key, items: ("ann", items), key=str, value=list[str]
        ).to("out")

    return define


GROWING = [["tea"], ["tea", "rum"], ["tea", "rum", "ham"]]
ITEMS = ["tea", "rum", "ham"]


def test_an_adder_may_change_a_list() -> None:
    assert _emitted(_of_items(lambda group: group.aggregate(list, append, value=list[str], store="s")), ITEMS) == GROWING


def test_an_adder_may_change_an_object() -> None:
    emitted = _emitted(_of_items(lambda group: group.aggregate(Cart, Cart.add, store="s")), ITEMS)
    assert emitted == [Cart(["tea"], 1), Cart(["tea", "rum"], 2), Cart(["tea", "rum", "ham"], 3)]


def test_an_adder_may_change_what_is_inside_a_frozen_object() -> None:
    emitted = _emitted(_of_items(lambda group: group.aggregate(lambda: Parcel([]), _pack, value=Parcel, store="s")), ITEMS)
    assert emitted == list(map(Parcel, GROWING))


def test_an_adder_may_change_a_dictionary() -> None:
    emitted = _emitted(_of_items(lambda group: group.aggregate(dict, _tally, value=dict[str, int], store="s")), ["a", "b", "a"])
    assert emitted == [{"a": 1}, {"a": 1, "b": 1}, {"a": 2, "b": 1}]


def test_an_initializer_may_return_the_same_list_again() -> None:
    none: list[str] = []
    emitted = _emitted(_of_items(lambda group: group.aggregate(lambda: none, append, value=list[str], store="s")), ITEMS)
    assert emitted == GROWING
    assert not none


def test_a_reducer_may_change_its_first_argument() -> None:
    emitted = _emitted(_of_items(lambda group: group.reduce(extend, store="s"), value=list[str]), [["tea"], ["rum"], ["ham"]])
    assert emitted == GROWING


@pytest.mark.parametrize("merge", [None, extend])
def test_an_adder_may_change_the_list_of_a_window(merge: Any) -> None:
    def aggregated(group: Any) -> Any:
        return group.windowed_by(tumbling(100, grace=0)).aggregate(list, append, merge=merge, value=list[str], store="s")

    assert _emitted(_of_items(aggregated), ITEMS) == GROWING
    assert _emitted(_of_items(aggregated), ITEMS, emit="latest") == GROWING[-1:]


def test_a_merge_may_change_the_parts_of_overlapping_windows() -> None:
    def aggregated(merge: Any) -> Flow:
        windows = hopping(40, advance=10, grace=0)
        return _of_items(
            lambda group: group.windowed_by(windows).aggregate(list, append, merge=merge, value=list[str], store="s")
        )

    items = list("abcdefgh")
    merged = _emitted(aggregated(extend), items, step_ms=7, emit="latest")
    assert sorted(merged) == sorted(_emitted(aggregated(None), items, step_ms=7, emit="latest"))


def test_an_adder_may_change_the_list_of_a_sliding_window() -> None:
    def aggregated(group: Any) -> Any:
        return group.windowed_by(sliding(100, grace=0)).aggregate(list, append, value=list[str], store="s")

    assert _emitted(_of_items(aggregated), ITEMS, step_ms=200) == [["tea"], ["rum"], ["ham"]]
    assert _emitted(_of_items(aggregated), ["tea", "rum"]) == [["tea"], ["rum"], ["tea", "rum"]]


def test_a_merge_may_change_the_list_of_a_session() -> None:
    def aggregated(group: Any) -> Any:
        return group.windowed_by(session(100, grace=0)).aggregate(list, append, merge=extend, value=list[str], store="s")

    emitted = _emitted(_of_items(aggregated), ITEMS)
    assert [items for items in emitted if items is not None] == GROWING


def test_a_subtractor_may_change_the_list_of_a_group() -> None:
    def define(builder: TopologyBuilder) -> None:
        table = builder.table("in", key=str, value=str, store="t")
        grouped = table.group_by(lambda _key, item: (item[0], item), key=str, value=str, name="by-letter")
        grouped.aggregate(list, append, remove, value=list[str], store="s").to_stream().to("out")

    assert _emitted(define, ["tea", "toy"]) == [["tea"], ["toy"]]


def test_the_old_value_of_an_update_is_the_one_before() -> None:
    def define(builder: TopologyBuilder) -> None:
        carts = builder.stream("in", key=str, value=str).group_by_key().aggregate(list, append, value=list[str], store="carts")
        sizes = carts.group_by(lambda _key, items: (len(items), 1), key=int, value=int, name="by-size").count(store="sizes")
        sizes.to_stream().map(lambda size, carts: (str(size), (size, carts)), key=str, value=tuple[int, int]).to("out")

    assert _emitted(define, ITEMS) == [(1, 1), (1, 0), (2, 1), (2, 0), (3, 1)]


def test_an_adder_may_keep_its_argument() -> None:
    def keep(kept: list[list[str]], items: list[str]) -> list[list[str]]:
        kept.append(items)
        return kept

    def define(builder: TopologyBuilder) -> None:
        lists = builder.stream("in", key=str, value=list[str])
        lists.group_by_key().aggregate(list, keep, value=list[list[str]], store="s").to_stream().to("out")
        lists.map_values(lambda items: append(items, "changed"), value=list[str]).to("changed")

    assert _emitted(define, [["a"], ["b"]]) == [[["a"]], [["a"], ["b"]]]


def test_a_branch_does_not_see_what_another_one_changes() -> None:
    def define(builder: TopologyBuilder) -> None:
        items = builder.stream("in", key=str, value=list[str])
        items.map_values(lambda items: append(items, "changed"), value=list[str]).to("changed")
        items.to("out")
        items.map_values(lambda items: append(items, "changed"), value=list[str]).to("changed")

    assert _emitted(define, [["a"]]) == [["a"]]


def test_rows_of_a_table_do_not_change_when_a_joiner_changes_them() -> None:
    def define(builder: TopologyBuilder) -> None:
        table = builder.table("table", key=str, value=list[str], store="t")
        stream = builder.stream("in", key=str, value=str)
        stream.join(table, lambda item, items: append(items, item), value=list[str]).to("out")

    engine = MemoryEngine(_built(define))
    engine.pipe("table", "ann", ["row"], timestamp=0)
    engine.pipe_all([("in", "ann", item, 1) for item in ITEMS])
    assert _values(engine.outputs()) == [["row", item] for item in ITEMS]


class _Collector(Processor[str, str, str, list[str]]):
    """Changes the list that it gets from the store, and forwards it before it puts it there."""

    def __init__(self, *, puts: bool) -> None:
        self._puts = puts

    def init(self, context: Any) -> None:
        self._context, self._store = context, context.state_store("s")

    def process(self, record: Record[str, str]) -> None:
        found = self._store.get(record.key)
        items = [] if found is None else found
        items.append(record.value)
        self._context.forward(record.with_value(items))
        if self._puts or found is None:
            self._store.put(record.key, items)
        items.append("changed")


@pytest.mark.parametrize(("puts", "expected"), [(True, GROWING), (False, [["tea"], ["tea", "rum"], ["tea", "ham"]])])
def test_a_processor_may_change_what_it_got_from_a_store(expected: list[Items], *, puts: bool) -> None:
    def define(builder: TopologyBuilder) -> None:
        builder.add_state_store(key_value_store("s", key=str, value=list[str]))
        builder.stream("in", key=str, value=str).process(
            lambda: _Collector(puts=puts), stores=["s"], key=str, value=list[str]
        ).to("out")

    assert _emitted(define, ITEMS) == expected


def test_a_generator_may_change_what_it_has_yielded() -> None:
    def growing(text: str) -> Iterator[list[str]]:
        letters: list[str] = []
        for letter in text:
            letters.append(letter)
            yield letters

    def define(builder: TopologyBuilder) -> None:
        lists = builder.stream("in", key=str, value=str).flat_map_values(growing, value=list[str])
        lists.group_by_key().reduce(lambda _old, new: new, store="s").to_stream().to("out")

    assert _emitted(define, ["ab"]) == [["a"], ["a", "b"]]


@pytest.mark.parametrize("as_table", [False, True])
def test_a_mapper_may_return_the_same_list_again(*, as_table: bool) -> None:
    none: list[str] = []

    def define(builder: TopologyBuilder) -> None:
        stream = builder.stream("in", key=str, value=str)
        if as_table:
            lists = stream.to_table(store="t").map_values(lambda _item: none, value=list[str]).to_stream()
        else:
            lists = stream.map_values(lambda _item: none, value=list[str])
        lists.map_values(lambda items: append(items, "changed"), value=list[str]).to("out")

    assert _emitted(define, ITEMS) == [["changed"]] * 3
    assert not none


@pytest.mark.parametrize("kind", ["table", "stream", "tables"])
def test_a_joiner_may_return_the_same_list_again(kind: str) -> None:
    none: list[str] = []

    def define(builder: TopologyBuilder) -> None:
        items = builder.stream("in", key=str, value=str)
        table = items.to_table(store="t")
        others = items.filter(lambda _key, _item: False)
        if kind == "stream":
            windows = join_windows(before=0, after=0, grace=0)
            lists = items.join(items, lambda _one, _other: none, windows=windows, value=list[str])
        elif kind == "table":
            lists = items.left_join(others.to_table(store="o"), lambda _item, _other: none, value=list[str])
        else:
            joined = table.left_join(others.to_table(store="o"), lambda _item, _other: none, value=list[str])
            lists = joined.to_stream()
        lists.map_values(lambda items: append(items, "changed"), value=list[str]).to("out")

    assert _emitted(define, ITEMS) == [["changed"]] * 3
    assert not none


def test_a_mapper_may_return_a_list_several_times_at_once() -> None:
    def define(builder: TopologyBuilder) -> None:
        lists = builder.stream("in", key=str, value=str).flat_map_values(lambda item: [[item]] * 2, value=list[str])
        lists.map_values(lambda items: append(items, "changed"), value=list[str]).to("out")

    assert _emitted(define, ["tea"]) == [["tea", "changed"]] * 2


class _Keeper(Processor[str, str, str, list[str]]):
    """Forwards a list that it keeps, and goes on with it."""

    def init(self, context: Any) -> None:
        self._context, self._items = context, list[str]()

    def process(self, record: Record[str, str]) -> None:
        self._items.append(record.value)
        self._context.forward(record.with_value(self._items))


def test_a_processor_may_forward_a_list_that_it_keeps() -> None:
    def define(builder: TopologyBuilder) -> None:
        lists = builder.stream("in", key=str, value=str).process(_Keeper, key=str, value=list[str])
        lists.map_values(lambda items: append(items, "changed"), value=list[str]).to("out")

    assert _emitted(define, ITEMS) == [[*items, "changed"] for items in GROWING]


def test_records_that_are_aggregated_together_may_change_aggregates() -> None:
    task = Task(
        _built(_of_items(lambda group: group.aggregate(list, append, value=list[str], store="s"))),
        0,
        0,
        stores=MemoryStateStores(),
    )
    task.process_all([incoming(offset, "ann", item, offset) for offset, item in enumerate(ITEMS)])
    assert _values(task.take_output()) == GROWING


def test_values_in_stores_on_disk_are_not_shared_either(quick_disk: Path) -> None:
    task_stores = RocksDBStateStores(JsonCodecs(), quick_disk, cache_max_bytes=1 << 20).of_task("flow-0_0")
    task = Task(
        _built(_of_items(lambda group: group.aggregate(list, append, value=list[str], store="s"))), 0, 0, stores=task_stores
    )
    for offset, item in enumerate(ITEMS):
        task.process("in", "ann", item, offset)
    assert _values(task.take_output()) == GROWING
    row: Any = task.stores["s"].get("ann")  # type: ignore[attr-defined] # a key-value store
    row[0].append("changed")
    assert [value for _, (_, value) in task.drain_changes() if isinstance(value, tuple)] == [(ITEMS, 2)]


def test_a_function_of_topics_and_a_partitioner_may_change_a_list() -> None:
    def topic(_key: str, items: list[str]) -> str:
        return append(items, "out")[-1]

    def partitioner(_key: str, items: list[str], partitions: int) -> int:
        return len(append(items, "changed")) % partitions

    def define(builder: TopologyBuilder) -> None:
        builder.stream("in", key=str, value=list[str]).to(topic, partitioner=partitioner)

    assert _emitted(define, [["tea"], ["rum"]]) == [["tea"], ["rum"]]
