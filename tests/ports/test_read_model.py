"""The contract of the read model, tested on every adapter."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Event, Thread

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eddyline.adapters.memory.read_model import MemoryReadModel
from eddyline.adapters.sqlite.read_model import SqliteReadModel
from eddyline.application.ports.read_model import ChangelogPart, EntryChange, EntryKey, ReadModel, StateProgress, StoredEntry
from tests.fixtures.examples import examples

LEAST, GREATEST = -(1 << 63), (1 << 63) - 1


@pytest.fixture(params=["memory", "sqlite"])
def model(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ReadModel]:
    model: ReadModel = MemoryReadModel() if request.param == "memory" else SqliteReadModel(tmp_path / "folder" / "model.sqlite")
    yield model
    model.close()


def change(sort_key: str, value: str | None, start: int = 0, end: int = 0) -> EntryChange:
    found_by = EntryKey(sort_key.encode(), start, end)
    return EntryChange(found_by, f"key {sort_key}".encode(), None if value is None else value.encode())


def part(
    start: int,
    end: int,
    *changes: EntryChange,
    partition: int = 0,
    progress: StateProgress | None = None,
    store: str = "counts",
) -> ChangelogPart:
    return ChangelogPart(store, partition, start, end, changes, progress)


def shown(entries: Sequence[StoredEntry] | Iterator[StoredEntry]) -> list[tuple[str, int, str]]:
    return [(entry.found_by.sort_key.decode(), entry.found_by.start, entry.value.decode()) for entry in entries]


def contents(model: ReadModel, store: str = "counts") -> list[tuple[str, int, str]]:
    return shown(model.entries(store))


def test_a_store_is_empty_at_first(model: ReadModel) -> None:
    assert contents(model) == []
    assert [model.position("counts", 0), model.progress("counts"), model.size("counts"), model.changelog_id("counts")] == [
        0,
        {},
        (0, 0),
        None,
    ]
    assert not model.find("counts", b"a", (LEAST, GREATEST), 9)
    assert not model.latest("counts", b"", 9)


def test_entries_are_sorted_by_sort_key_times_and_partition(model: ReadModel) -> None:
    model.apply(part(0, 3, change("b", "3"), change("a", "2", 20, 30), change("a", "1", 10, 20)))
    model.apply(part(0, 1, change("b", "4"), partition=1))
    assert contents(model) == [("a", 10, "1"), ("a", 20, "2"), ("b", 0, "3"), ("b", 0, "4")]
    assert list(model.entries("counts"))[-1] == StoredEntry(1, EntryKey(b"b"), b"key b", b"4")


def test_the_last_change_of_an_entry_counts_and_none_deletes_it(model: ReadModel) -> None:
    model.apply(part(0, 4, change("a", "1"), change("a", "2"), change("b", "1"), change("c", None)))
    model.apply(part(4, 6, change("b", None), change("d", "1"), change("d", None)))
    assert contents(model) == [("a", 0, "2")]


def test_a_part_is_applied_once_and_only_where_the_partition_continues(model: ReadModel) -> None:
    assert model.apply(part(0, 2, change("a", "1")))
    assert not model.apply(part(0, 2, change("a", "again")))
    assert not model.apply(part(3, 4, change("a", "too far")))
    assert contents(model) == [("a", 0, "1")]
    assert [model.position("counts", 0), model.position("counts", 1), model.position("sums", 0)] == [2, 0, 0]
    assert model.apply(part(2, 9, change("a", "2")))
    assert model.position("counts", 0) == 9


def test_the_last_known_progress_of_each_partition_is_kept(model: ReadModel) -> None:
    progress = StateProgress(7, 1_000, None, {"orders": [3, 4]})
    model.apply(part(0, 2, progress=progress))
    model.apply(part(2, 3, change("a", "1")))
    later = StateProgress(8, 2_000, 500, {"orders": [5, 6]})
    model.apply(part(0, 1, partition=1, progress=later))
    assert model.progress("counts") == {0: progress, 1: later}


def test_a_partition_is_removed_with_its_position_and_progress(model: ReadModel) -> None:
    progress = StateProgress(7, 1_000, None, {"orders": [3, 4]})
    model.apply(part(0, 2, change("a", "1"), change("c", "33"), progress=progress))
    model.apply(part(0, 1, change("b", "2"), partition=1, progress=progress))
    model.remove("counts", 0)
    assert contents(model) == [("b", 0, "2")]
    assert (model.position("counts", 0), model.position("counts", 1)) == (0, 1)
    assert model.progress("counts") == {1: progress}
    assert model.size("counts") == (1, len("key b") + len("2"))
    assert model.apply(part(0, 2, change("a", "1")))
    model.remove("no-such-store", 0)


def test_entries_of_a_key_are_found_by_the_times_that_they_overlap(model: ReadModel) -> None:
    model.apply(part(0, 3, change("a", "1", 0, 9), change("a", "2", 10, 19), change("a", "3", 20, 29), change("b", "4", 0, 9)))
    assert shown(model.find("counts", b"a", (LEAST, GREATEST), 9)) == [("a", 0, "1"), ("a", 10, "2"), ("a", 20, "3")]
    assert shown(model.find("counts", b"a", (19, 20), 9)) == [("a", 10, "2"), ("a", 20, "3")]
    assert shown(model.find("counts", b"a", (12, 14), 9)) == [("a", 10, "2")]
    assert not model.find("counts", b"a", (30, 40), 9)
    assert not model.find("counts", b"", (LEAST, GREATEST), 9)
    assert shown(model.find("counts", b"a", (19, 20), 1)) == [("a", 10, "2")]
    assert shown(model.find("counts", b"a", (LEAST, GREATEST), 1, after=(0, 9, 0))) == [("a", 10, "2")]


def test_a_scan_begins_and_ends_at_sort_keys_and_continues_after_an_entry(model: ReadModel) -> None:
    model.apply(part(0, 5, *(change(key, key) for key in "abcde")))
    model.apply(part(0, 1, change("b", "other"), partition=3))
    assert [value for _, _, value in shown(model.scan("counts", EntryKey(b"b"), b"e", 9))] == ["b", "other", "c", "d"]
    assert [value for _, _, value in shown(model.scan("counts", EntryKey(b"b"), b"e", 2, after_partition=0))] == ["other", "c"]
    assert [value for _, _, value in shown(model.scan("counts", EntryKey(b"b"), None, 9, after_partition=3))] == ["c", "d", "e"]


def test_the_latest_entry_of_each_key_is_that_with_the_latest_times(model: ReadModel) -> None:
    model.apply(part(0, 4, change("a", "new", 10, 20), change("a", "old", 0, 10), change("b", "2"), change("c", "3")))
    assert shown(model.latest("counts", b"", 2)) == [("a", 10, "new"), ("b", 0, "2")]
    assert shown(model.latest("counts", b"b", 2)) == [("c", 0, "3")]


def test_the_size_counts_entries_and_the_bytes_of_their_keys_and_values(model: ReadModel) -> None:
    model.apply(part(0, 3, change("a", "1"), change("a", "123"), change("b", "1234")))
    assert model.size("counts") == (2, len("key a123key b1234"))
    model.apply(part(3, 5, change("a", None), change("b", "1"), change("never", None)))
    assert model.size("counts") == (1, len("key b1"))


def test_a_cleared_store_is_built_from_the_beginning_and_others_stay(model: ReadModel) -> None:
    model.apply(part(0, 2, change("a", "1"), progress=StateProgress(1, 2, 3, {})))
    model.apply(part(0, 2, change("a", "1"), store="sums"))
    model.clear("counts", "changelog 2")
    assert [contents(model), model.position("counts", 0), model.progress("counts"), model.size("counts")] == [[], 0, {}, (0, 0)]
    assert [model.changelog_id("counts"), model.changelog_id("sums")] == ["changelog 2", None]
    assert contents(model, "sums") == [("a", 0, "1")]
    assert model.apply(part(0, 1, change("b", "1")))
    assert contents(model) == [("b", 0, "1")]


def test_times_and_bytes_may_be_of_any_size(model: ReadModel) -> None:
    changes = [
        EntryChange(EntryKey(b"\x00", LEAST, GREATEST), b"", b""),
        EntryChange(EntryKey(b"\xff" * 5_000), b"\x00", b"v" * 99_999),
    ]
    model.apply(ChangelogPart("größe; DROP TABLE entries", 0, 0, 2, changes, None))
    assert [entry.found_by for entry in model.entries("größe; DROP TABLE entries")] == [found_by for found_by, _, _ in changes]


def test_a_model_can_be_used_again_after_close(model: ReadModel) -> None:
    model.apply(part(0, 1, change("a", "1")))
    model.close()
    assert contents(model) == [("a", 0, "1")]
    assert model.apply(part(1, 2, change("a", "2")))


def test_readers_see_all_changes_of_a_part_or_none_while_others_are_applied(model: ReadModel) -> None:
    keys = [f"{number:02}" for number in range(20)]
    model.apply(part(0, 1, *(change(key, "0") for key in keys)))
    mixed: list[set[str]] = []
    done, reads = Event(), [0, 0]

    def read(reader: int) -> None:
        while not done.is_set() or not reads[reader]:
            values = {entry.value.decode() for entry in model.scan("counts", EntryKey(b""), None, 99)}
            reads[reader] += 1
            if len(values) != 1:
                mixed.append(values)

    readers = [Thread(target=read, args=(reader,)) for reader in range(2)]
    for reader in readers:
        reader.start()
    for number in range(1, 200):
        assert model.apply(part(number, number + 1, *(change(key, str(number)) for key in keys)))
    done.set()
    for reader in readers:
        reader.join()
    assert mixed == []


CHANGES = st.builds(change, st.sampled_from("abc"), st.none() | st.sampled_from("xyz"), st.integers(0, 2), st.integers(3, 5))


@given(st.lists(st.tuples(st.integers(0, 1), st.lists(CHANGES, max_size=5)), max_size=6))
@settings(max_examples=examples(50), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_a_model_has_the_last_changes_whatever_the_parts(model: ReadModel, parts: list[tuple[int, list[EntryChange]]]) -> None:
    model.clear("counts", "next example")
    expected: dict[tuple[EntryKey, int], bytes] = {}
    for partition, changes in parts:
        start = model.position("counts", partition)
        assert model.apply(part(start, start + len(changes), *changes, partition=partition))
        for found_by, _, value in changes:
            expected.pop((found_by, partition), None)
            if value is not None:
                expected[found_by, partition] = value
    assert [((e.found_by, e.partition), e.value) for e in model.entries("counts")] == sorted(expected.items())
    assert model.size("counts") == (len(expected), sum(len("key ?") + len(value) for value in expected.values()))
    latest = {found_by.sort_key: value for (found_by, _), value in sorted(expected.items())}
    assert [entry.value for entry in model.latest("counts", b"", 99)] == list(latest.values())
