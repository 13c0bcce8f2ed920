"""The changes of stores that a run reports."""

import pytest

from eddyline.application.runtime.progress.store_changes import ChangedEntry, StoreChanges


@pytest.fixture
def changes() -> StoreChanges:
    return StoreChanges()


def _entries(changes: StoreChanges, store: str) -> list[tuple[bytes, bytes | None]]:
    return [(entry.key, entry.value) for entry in changes.entries(store)]


def test_entries_are_sorted_by_key(changes: StoreChanges) -> None:
    changes.apply(0, [ChangedEntry("counts", 0, b"b", b"2"), ChangedEntry("counts", 1, b"a", b"1")])
    assert _entries(changes, "counts") == [(b"a", b"1"), (b"b", b"2")]


def test_a_later_value_replaces_an_earlier_one(changes: StoreChanges) -> None:
    changes.apply(0, [ChangedEntry("counts", 0, b"a", b"1"), ChangedEntry("counts", 0, b"a", b"2")])
    changes.apply(1, [ChangedEntry("counts", 0, b"a", b"3")])
    assert _entries(changes, "counts") == [(b"a", b"3")]


def test_none_deletes_the_entry(changes: StoreChanges) -> None:
    changes.apply(0, [ChangedEntry("counts", 0, b"a", b"1")])
    changes.apply(1, [ChangedEntry("counts", 0, b"a", None), ChangedEntry("counts", 0, b"never", None)])
    assert _entries(changes, "counts") == []


def test_a_repeated_or_earlier_batch_is_ignored(changes: StoreChanges) -> None:
    changes.apply(4, [ChangedEntry("counts", 0, b"a", b"1")])
    changes.apply(4, [ChangedEntry("counts", 0, b"a", b"2")])
    changes.apply(3, [ChangedEntry("counts", 0, b"a", b"3")])
    assert _entries(changes, "counts") == [(b"a", b"1")]


def test_the_same_key_in_two_partitions_is_two_entries(changes: StoreChanges) -> None:
    changes.apply(0, [ChangedEntry("counts", 1, b"a", b"1"), ChangedEntry("counts", 0, b"a", b"0")])
    assert list(changes.entries("counts")) == [ChangedEntry("counts", 0, b"a", b"0"), ChangedEntry("counts", 1, b"a", b"1")]


def test_stores_are_listed_sorted_and_an_unknown_store_is_rejected_with_the_known_ones(changes: StoreChanges) -> None:
    changes.apply(0, [ChangedEntry("sums", 0, b"a", b"1"), ChangedEntry("counts", 0, b"a", b"1")])
    assert list(changes.stores()) == ["counts", "sums"]
    with pytest.raises(LookupError, match=r"'conts' is unknown.*counts, sums"):
        changes.entries("conts")
