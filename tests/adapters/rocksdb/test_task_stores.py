"""The stores of a task on the local disk: what is saved outlives the process, and nothing else does."""

import os
import pickle
import tempfile
from pathlib import Path
from typing import Any

import pytest

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.private_files import PrivateFolderError
from eddyline.adapters.rocksdb.state_store import RocksDBStateStores
from eddyline.application.ports.state_store import KeyValueStore, StoreChange, UnencodableEntryError
from eddyline.application.ports.state_stores import TaskStateStores


@pytest.fixture
def stores(quick_disk: Path) -> RocksDBStateStores:
    return RocksDBStateStores(JsonCodecs(), quick_disk, cache_max_bytes=1 << 20)


def counts_of(task: TaskStateStores) -> KeyValueStore[str, int]:
    return task.key_value("counts", key_type=str, value_type=int)


def test_saved_stores_have_their_entries_when_they_are_opened_again(stores: RocksDBStateStores) -> None:
    task = stores.of_task("flow-0_1")
    counts_of(task).put("tea", 1)
    task.put_entries([(b"offset", b"7"), (b"other", b"8")])
    task.save(b"batch 1")
    task.close()
    again = pickle.loads(pickle.dumps(stores)).of_task("flow-0_1")
    counts = counts_of(again)
    assert (again.version, counts.get("tea"), counts.approximate_num_entries()) == (b"batch 1", 1, 1)
    assert (again.get_entries([b"offset", b"none"]), list(again.scan_entries(b"off"))) == ([b"7", None], [(b"offset", b"7")])
    assert counts.drain_changes() == []


@pytest.mark.parametrize("unsaved", ["store", "entry"])
def test_stores_that_have_changed_since_they_were_saved_are_empty_when_they_are_opened_again(
    stores: RocksDBStateStores, unsaved: str
) -> None:
    task = stores.of_task("flow-0_1")
    counts = counts_of(task)
    counts.put("tea", 1)
    counts.drain_changes()
    task.save(b"batch 1")
    if unsaved == "store":
        counts.put("tea", 2)
        counts.drain_changes()
    else:
        task.put_entries([(b"offset", None)])
    assert task.version is None
    task.close()
    again = stores.of_task("flow-0_1")
    assert (again.version, list(counts_of(again).range())) == (None, [])


def test_changes_that_were_not_drained_are_not_lost_by_saving(stores: RocksDBStateStores) -> None:
    task = stores.of_task("flow-0_1")
    counts = counts_of(task)
    counts.put("tea", 1)
    task.save(b"batch 1")
    assert counts.drain_changes() == [StoreChange("tea", 1)]


def test_cleared_stores_are_empty(stores: RocksDBStateStores) -> None:
    task = stores.of_task("flow-0_1")
    counts_of(task).put("tea", 1)
    task.put_entries([(b"offset", b"7")])
    task.save(b"batch 1")
    task.clear()
    counts = counts_of(task)
    assert (task.version, list(counts.range()), counts.approximate_num_entries()) == (None, [], 0)
    assert task.get_entries([b"offset"]) == [None]


def test_tasks_do_not_share_entries(stores: RocksDBStateStores) -> None:
    one, other = (counts_of(stores.of_task(name)) for name in ("flow-0_1", "flow-0_2"))
    one.put("tea", 1)
    assert other.get("tea") is None


def test_a_second_copy_of_a_task_has_a_folder_of_its_own_until_it_is_closed(stores: RocksDBStateStores, quick_disk: Path) -> None:
    first, second = stores.of_task("flow-0_1"), stores.of_task("flow-0_1")
    counts_of(first).put("tea", 1)
    assert counts_of(second).get("tea") is None
    assert len(list(quick_disk.iterdir())) == 2
    second.close()
    assert [folder.name for folder in quick_disk.iterdir()] == ["flow-0_1"]


def test_the_folder_of_a_process_that_has_ended_is_removed(stores: RocksDBStateStores, quick_disk: Path) -> None:
    abandoned = quick_disk / "flow-0_1.4194305.abcd"  # more than Linux's greatest process id
    abandoned.mkdir()
    stores.of_task("flow-0_2")
    assert not abandoned.exists()


def test_a_deleted_entry_is_not_returned_by_an_iteration_that_has_begun(stores: RocksDBStateStores) -> None:
    counts: Any = counts_of(stores.of_task("flow-0_1"))
    for key in "abcd":
        counts.put(key, 1)
    found = counts.range()
    counts.delete("b")
    counts.put("c", 2)
    counts.put("e", 1)
    assert next(found) == ("a", 1)
    assert len(list(counts.range())) == 4
    assert list(found) == [("c", 2), ("d", 1)]


def test_a_value_that_cannot_be_encoded_stays_a_change_that_has_not_been_written(stores: RocksDBStateStores) -> None:
    counts: Any = counts_of(stores.of_task("flow-0_1"))
    counts.put("tea", 1)
    counts.put("coffee", object())
    with pytest.raises(UnencodableEntryError) as raised:
        counts.drain_changes()
    assert (raised.value.store, raised.value.key) == ("counts", "coffee")
    counts.put("coffee", 2)
    assert (list(counts.range()), counts.approximate_num_entries()) == ([("coffee", 2), ("tea", 1)], 2)


def test_many_changes_are_written_before_they_are_drained(stores: RocksDBStateStores, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eddyline.adapters.rocksdb.table._MAX_UNWRITTEN", 10)
    counts = counts_of(stores.of_task("flow-0_1"))
    for number in range(100):
        counts.put(f"{number:03}", number)
    assert [change.value for change in counts.drain_changes()] == list(range(100))
    assert counts.approximate_num_entries() == 100


def test_the_default_folder_is_one_that_only_its_user_can_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    RocksDBStateStores(JsonCodecs()).of_task("flow-0_1").close()
    (folder,) = tmp_path.iterdir()
    assert folder.name == f"eddyline-stores-{os.getuid()}"
    assert folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("kind", ["link", "open to others", "file"])
def test_a_default_folder_that_someone_else_could_have_made_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    folder = tmp_path / "tmp" / f"eddyline-stores-{os.getuid()}"
    (tmp_path / "other").mkdir()
    folder.parent.mkdir()
    if kind == "link":
        folder.symlink_to(tmp_path / "other")
    elif kind == "file":
        folder.touch()
    else:
        folder.mkdir()
        folder.chmod(0o777)
    with pytest.raises(PrivateFolderError, match=r"only you can write; remove it, or choose another one"):
        RocksDBStateStores(JsonCodecs()).of_task("flow-0_1")
    assert list((tmp_path / "other").iterdir()) == []
