"""The contract of the read model, tested on every adapter."""

import pytest

from eddyline.adapters.memory.read_model import MemoryReadModel
from eddyline.application.ports.read_model import ReadModel, StoredEntry


@pytest.fixture(params=["memory"])
def model() -> ReadModel:
    return MemoryReadModel()


def _entries(model: ReadModel, store: str) -> list[tuple[bytes, bytes | None]]:
    return [(entry.key, entry.value) for entry in model.entries(store)]


def test_entries_are_sorted_by_key(model: ReadModel) -> None:
    model.apply(0, [StoredEntry("counts", 0, b"b", b"2"), StoredEntry("counts", 1, b"a", b"1")])
    assert _entries(model, "counts") == [(b"a", b"1"), (b"b", b"2")]


def test_a_later_value_replaces_an_earlier_one(model: ReadModel) -> None:
    model.apply(0, [StoredEntry("counts", 0, b"a", b"1"), StoredEntry("counts", 0, b"a", b"2")])
    model.apply(1, [StoredEntry("counts", 0, b"a", b"3")])
    assert _entries(model, "counts") == [(b"a", b"3")]


def test_none_deletes_the_entry(model: ReadModel) -> None:
    model.apply(0, [StoredEntry("counts", 0, b"a", b"1")])
    model.apply(1, [StoredEntry("counts", 0, b"a", None), StoredEntry("counts", 0, b"never", None)])
    assert _entries(model, "counts") == []


def test_a_repeated_or_earlier_batch_is_ignored(model: ReadModel) -> None:
    model.apply(4, [StoredEntry("counts", 0, b"a", b"1")])
    model.apply(4, [StoredEntry("counts", 0, b"a", b"2")])
    model.apply(3, [StoredEntry("counts", 0, b"a", b"3")])
    assert _entries(model, "counts") == [(b"a", b"1")]


def test_the_same_key_in_two_partitions_is_two_entries(model: ReadModel) -> None:
    model.apply(0, [StoredEntry("counts", 1, b"a", b"1"), StoredEntry("counts", 0, b"a", b"0")])
    assert list(model.entries("counts")) == [StoredEntry("counts", 0, b"a", b"0"), StoredEntry("counts", 1, b"a", b"1")]


def test_stores_are_listed_sorted_and_an_unknown_store_is_rejected_with_the_known_ones(model: ReadModel) -> None:
    model.apply(0, [StoredEntry("sums", 0, b"a", b"1"), StoredEntry("counts", 0, b"a", b"1")])
    assert list(model.stores()) == ["counts", "sums"]
    with pytest.raises(LookupError, match=r"'conts' is unknown.*counts, sums"):
        model.entries("conts")
