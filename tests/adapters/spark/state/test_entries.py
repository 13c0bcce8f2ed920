"""The state of a task is encoded as entries and restored from them."""

from typing import Any

import pytest

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.adapters.spark.state.chunks import Entry
from eddyline.adapters.spark.state.entries import EntryCodec
from eddyline.application.ports.codec import CodecError
from eddyline.application.ports.event_log import TopicPartition
from eddyline.application.runtime.task.task import Task
from eddyline.application.topology import TopologyBuilder


def task_with(*stores: str) -> Task:
    """Return a task that counts the records of a topic in these stores."""
    builder = TopologyBuilder()
    grouped = builder.stream("lines", key=str, value=str).group_by_key()
    for store in stores:
        grouped.count(store=store).to_stream().to(f"{store}-out")
    return Task(builder.build(), 0, 0, stores=MemoryStateStores())


def counted(task: Task) -> list[Entry]:
    """Return the entries of a task that has counted one record more."""
    task.process("lines", "k", "x", 5)
    return EntryCodec(task, JsonCodecs()).drained()


@pytest.fixture
def codec() -> EntryCodec:
    return EntryCodec(task_with("counts"), JsonCodecs())


def contents(task: Task, store: str) -> list[tuple[str, int]]:
    return [(entry.key, entry.value[0]) for entry in task.stores[store].snapshot() if entry.value is not None]


def test_a_task_is_restored_from_the_entries_of_another_one() -> None:
    entries, restored = counted(task_with("counts")), task_with("counts")
    restored.restore(EntryCodec(restored, JsonCodecs()).restored(entries))
    assert contents(restored, "counts") == [("k", 1)]
    assert restored.stream_time == 5


def test_entries_of_stores_that_the_topology_no_longer_has_are_ignored() -> None:
    entries, restored = counted(task_with("old", "counts")), task_with("counts", "new")
    restored.restore(EntryCodec(restored, JsonCodecs()).restored(entries))
    assert (contents(restored, "counts"), contents(restored, "new")) == ([("k", 1)], [])


def test_a_store_that_is_added_gets_a_number_that_no_other_store_has() -> None:
    entries, task = counted(task_with("old", "counts")), task_with("counts", "new")
    codec = EntryCodec(task, JsonCodecs())
    task.restore(codec.restored(entries))
    task.process("lines", "k", "x", 6)
    both = {**dict(entries), **dict(codec.drained())}
    again = task_with("old", "counts", "new")
    again.restore(EntryCodec(again, JsonCodecs()).restored(both.items()))
    assert [contents(again, store) for store in ("old", "counts", "new")] == [[("k", 1)], [("k", 2)], [("k", 1)]]


def test_the_name_and_the_number_of_a_store_are_an_entry_of_the_first_changes_only() -> None:
    task = task_with("counts")
    codec = EntryCodec(task, JsonCodecs())
    names = []
    for timestamp in (5, 6):
        task.process("lines", "k", "x", timestamp)
        names.append([entry for entry in codec.drained() if entry[0].startswith(b"\x00\x00")])
    assert names == [[(b"\x00\x00counts", b"\x00\x10"), (b"\x00\x00$cells", b"\x00\x11")], []]


def test_only_entries_of_stores_are_changes_of_stores() -> None:
    task = task_with("counts")
    codec = EntryCodec(task, JsonCodecs())
    task.process("lines", "k", "x", 5)
    entries = [*codec.positions({TopicPartition("lines", 0): 3}), *codec.drained()]
    assert [(store, key) for store, key, _ in codec.store_changes(entries)] == [("counts", b'"k"')]


def test_a_position_is_stored_until_the_partition_is_read_to_the_end_of_a_batch(codec: EntryCodec) -> None:
    first, second = TopicPartition("lines", 0), TopicPartition("a:b", 1)
    written = list(codec.positions({first: 7, second: 9}))
    assert (codec.position(*first), codec.position(*second)) == (7, 9)
    removed = list(codec.positions({first: None, second: None}))
    assert (codec.position(*first), codec.position(*second)) == (None, None)
    assert list(codec.positions({first: None})) == [], "there is nothing left to remove"
    assert [key for key, _ in removed] == [key for key, _ in written]

    other = EntryCodec(task_with("counts"), JsonCodecs())
    assert list(other.restored(written)) == []
    assert (other.position(*first), other.position(*second)) == (7, 9)
    assert list(other.restored(removed)) == []
    assert (other.position(*first), other.position(*second)) == (None, None)


def test_the_entry_of_a_position_has_partition_topic_and_offset_in_readable_text(codec: EntryCodec) -> None:
    entries = list(codec.positions({TopicPartition("a:b", 12): 345, TopicPartition("lines", 0): 0}))
    assert entries == [(b"\x00\x0112:a:b", b"345"), (b"\x00\x010:lines", b"0")]


def test_a_position_moves_on_while_batches_are_cut(codec: EntryCodec) -> None:
    lines, other = TopicPartition("lines", 1), TopicPartition("lines", 2)
    entries = [*codec.positions({lines: 3, other: 8}), *codec.positions({lines: 5}), *codec.positions({other: None})]
    assert (codec.position("lines", 1), codec.position("lines", 2)) == (5, None)
    restored = EntryCodec(task_with("counts"), JsonCodecs())
    assert list(restored.restored(entries)) == []
    assert (restored.position("lines", 1), restored.position("lines", 2)) == (5, None)
    assert restored.position("lines", 3) is None


def test_a_position_of_zero_is_a_position(codec: EntryCodec) -> None:
    (entry,) = codec.positions({TopicPartition("lines", 0): 0})
    assert codec.position("lines", 0) == 0
    (removed,) = codec.positions({TopicPartition("lines", 0): None})
    assert removed == (entry[0], None)


def test_waiting_frames_are_numbered_entries_and_those_that_no_longer_wait_are_removed(codec: EntryCodec) -> None:
    assert list(codec.set_waiting([b"first", b"second"])) == [
        (b"\x00\x02\x00\x00\x00\x00", b"first"),
        (b"\x00\x02\x00\x00\x00\x01", b"second"),
    ]
    assert list(codec.set_waiting([b"third"])) == [
        (b"\x00\x02\x00\x00\x00\x00", b"third"),
        (b"\x00\x02\x00\x00\x00\x01", None),
    ]
    assert codec.waiting == [b"third"]


def none() -> Any:
    return None


def set_of(_: Any, value: str) -> Any:
    return {value}


def test_state_that_cannot_be_encoded_ends_the_run_with_operator_store_task_and_key() -> None:
    builder = TopologyBuilder()
    builder.stream("others", key=str, value=str).filter(lambda _key, _value: True)
    builder.stream("lines", key=str, value=str).group_by_key().aggregate(none, set_of, value=Any, store="any")
    task = Task(builder.build(), 1, 0, stores=MemoryStateStores())
    task.process("lines", "k", "x", 5)
    with pytest.raises(CodecError) as raised:
        EntryCodec(task, JsonCodecs()).drained()
    (note,) = raised.value.__notes__
    assert note.startswith("operator 'any-aggregate, store any' of task 1_0, no record, key 'k'; to go on without such records, ")
    assert "processing.exception.handler" in note
