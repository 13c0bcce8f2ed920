import os
import pickle
import stat
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from eddyline.adapters.files.event_log import FileEventLog
from eddyline.adapters.files.event_sink import FileEventSink
from eddyline.adapters.files.topic_folders import TopicFolders
from eddyline.application.ports.event_log import UnknownTopicError
from eddyline.application.ports.event_sink import SinkRecord


def _touch(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()


def test_a_topic_is_created_as_a_folder_of_readable_files(tmp_path: Path) -> None:
    FileEventSink(tmp_path).create_topic("trades", 2)
    assert (tmp_path / "trades" / "topic.json").read_text() == '{"partitions": 2}\n'
    assert sorted(path.name for path in (tmp_path / "trades").iterdir()) == [
        "partition-0.jsonl",
        "partition-1.jsonl",
        "topic.json",
    ]


def test_topic_json_is_synced_before_it_becomes_visible(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    fsync = os.fsync

    def record(fd: int) -> None:
        fsync(fd)
        if not (tmp_path / "trades" / "topic.json").exists():
            synced.append(os.fstat(fd).st_ino)

    monkeypatch.setattr(os, "fsync", record)
    FileEventSink(tmp_path).create_topic("trades", 2)
    assert (tmp_path / "trades" / "topic.json").stat().st_ino in synced


def test_a_folder_created_by_hand_has_the_partitions_of_its_files(tmp_path: Path) -> None:
    _touch(tmp_path / "trades" / "partition-0.jsonl")
    _touch(tmp_path / "trades" / "partition-2.jsonl")
    log = FileEventLog(tmp_path)
    assert (log.topics(), log.partitions("trades"), log.end_offset("trades", 1)) == (["trades"], 3, 0)


def test_a_partition_file_beyond_the_number_in_topic_json_is_a_partition_too(tmp_path: Path) -> None:
    FileEventSink(tmp_path).create_topic("trades", 2)
    _touch(tmp_path / "trades" / "partition-3.jsonl")
    assert FileEventLog(tmp_path).partitions("trades") == 4


def test_other_folders_and_files_are_not_topics(tmp_path: Path) -> None:
    FileEventSink(tmp_path).create_topic("trades", 1)
    FileEventSink(tmp_path).write("w", 0, 0, [])
    _touch(tmp_path / "notes" / "readme.txt")
    _touch(tmp_path / "stray.jsonl")
    _touch(tmp_path / "odd" / "partition-01.jsonl")
    assert FileEventLog(tmp_path).topics() == ["trades"]
    with pytest.raises(UnknownTopicError, match="topic 'notes' is unknown"):
        FileEventLog(tmp_path).partitions("notes")


def test_a_root_that_does_not_exist_has_no_topics(tmp_path: Path) -> None:
    log = FileEventLog(tmp_path / "none")
    assert log.topics() == []
    with pytest.raises(
        UnknownTopicError,
        match=r"'trades' is unknown in .*none, which has: no topics; create .*none/trades' with a file partition-0\.jsonl",
    ):
        log.partitions("trades")


@pytest.mark.parametrize("name", ["", ".", "..", ".hidden", "a/b", "../a", "a b", "é", "x" * 250])
def test_a_name_that_is_not_valid_in_kafka_or_is_a_path_is_rejected(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="is not a valid topic name; use 1 to 249 letters"):
        FileEventSink(tmp_path).create_topic(name, 1)
    with pytest.raises(UnknownTopicError):
        FileEventLog(tmp_path).partitions(name)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"partitions": 0}', '{"partitions": "2"}', '{"partitions": true}'])
def test_an_invalid_topic_json_is_reported_with_its_path(tmp_path: Path, text: str) -> None:
    FileEventSink(tmp_path).create_topic("trades", 1)
    (tmp_path / "trades" / "topic.json").write_text(text)
    with pytest.raises(
        ValueError, match=r'trades/topic\.json does not contain a valid number of partitions; .*\{"partitions": 4\}'
    ):
        FileEventLog(tmp_path).partitions("trades")


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """The partition file of the topic `words` in a folder, whose id is known."""
    path = tmp_path / "words" / "partition-0.jsonl"
    path.parent.mkdir()
    path.write_text('{"timestamp": 5, "value": "a"}\n{"timestamp": 5, "value": "b"}\n')
    return path


def test_the_id_of_a_topic_stays_when_lines_are_appended_corrected_or_truncated(tmp_path: Path, written: Path) -> None:
    first = TopicFolders(tmp_path).topic_id("words")
    text = written.read_text()
    for changed in (text * 2, text.replace("b", "corrected"), text[:40]):
        written.write_text(changed)
        assert TopicFolders(tmp_path).topic_id("words") == first
    (tmp_path / "words/partition-1.jsonl").write_text(text)
    assert TopicFolders(tmp_path).topic_id("words") == first


@pytest.mark.parametrize("partition", [0, 1])
@pytest.mark.parametrize("rewritten", ["", '{"timestamp": 6, "value": "a"}\n' * 9, '{"timestamp": 5, "va'])
def test_the_id_of_a_topic_changes_when_a_partition_file_is_rewritten(
    tmp_path: Path, written: Path, rewritten: str, partition: int
) -> None:
    (tmp_path / "words/partition-1.jsonl").write_text(written.read_text())
    first = TopicFolders(tmp_path).topic_id("words")
    (tmp_path / f"words/partition-{partition}.jsonl").write_text(rewritten)
    second = TopicFolders(tmp_path).topic_id("words")
    assert second not in {"", first}
    assert TopicFolders(tmp_path).topic_id("words") == second


def test_the_first_line_counts_from_when_it_is_visible(tmp_path: Path) -> None:
    folders = TopicFolders(tmp_path)
    folders.create("words", 1)
    first, path = folders.topic_id("words"), folders.partition_file("words", 0)
    path.write_text('{"timestamp": 5, "value": "unfin')
    assert folders.topic_id("words") == first
    path.write_text('{"timestamp": 5, "value": "a"}\n')
    assert folders.topic_id("words") == first
    path.write_text('{"timestamp": 5, "value": "b"}\n')
    assert folders.topic_id("words") != first


def test_a_long_first_line_is_recognized_by_its_beginning(tmp_path: Path, written: Path) -> None:
    written.write_text("x" * 100_000)
    first = TopicFolders(tmp_path).topic_id("words")
    written.write_text("y" * 100_000)
    assert TopicFolders(tmp_path).topic_id("words") != first


@pytest.mark.parametrize("damage", [b"", b"oops", b"[]", b'{"id": "1"}', b'{"id": "1", "heads": {"0": 5}}', b"\xff"])
def test_a_damaged_id_is_replaced(tmp_path: Path, written: Path, damage: bytes) -> None:
    first = TopicFolders(tmp_path).topic_id("words")
    (written.parent / ".eddyline/id").write_bytes(damage)
    second = TopicFolders(tmp_path).topic_id("words")
    assert second not in {"", first}
    assert TopicFolders(tmp_path).topic_id("words") == second


def test_a_topic_whose_id_cannot_be_stored_has_none(tmp_path: Path, written: Path) -> None:
    (written.parent / ".eddyline").write_text("a file in place of a folder")
    assert TopicFolders(tmp_path).topic_id("words") == ""


def test_only_the_user_can_read_what_is_created(tmp_path: Path) -> None:
    sink = FileEventSink(tmp_path)
    sink.create_topic("trades", 1)
    sink.write("app", 0, 1, [SinkRecord("trades", b"k", b"v", 1)])
    log = FileEventLog(tmp_path)
    assert log.end_offset("trades", 0) == 1
    created = sorted((tmp_path / "trades").rglob("*"))
    assert {path.name for path in created} >= {"partition-0.jsonl", "topic.json"}
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "trades", *created)}
    assert modes == {path.name: 0o700 if path.is_dir() else 0o600 for path in (tmp_path / "trades", *created)}


def test_an_empty_folder_becomes_a_topic(tmp_path: Path) -> None:
    (tmp_path / "trades").mkdir()
    FileEventSink(tmp_path).create_topic("trades", 2)
    assert FileEventLog(tmp_path).partitions("trades") == 2


def test_other_processes_find_the_folder_from_another_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    data = pickle.dumps(TopicFolders(Path("topics")))
    monkeypatch.chdir("/")
    assert pickle.loads(data).root == tmp_path / "topics"


@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", ["partition-1.jsonl", "topic.json"])
@pytest.mark.parametrize("create", [os.mkfifo, os.mkdir, lambda path: Path(path).symlink_to("/dev/zero")])
def test_what_is_no_regular_file_is_refused_and_not_waited_for(tmp_path: Path, name: str, create: Callable[[Path], None]) -> None:
    folder = tmp_path / "trades"
    folder.mkdir()
    (folder / "partition-0.jsonl").touch()
    create(folder / name)
    log = FileEventLog(tmp_path)
    for read in (log.partitions, lambda topic: log.end_offset(topic, 1), lambda topic: log.identity([topic])):
        with pytest.raises(OSError, match=rf"{name}' is (a directory|no regular file).*; move it elsewhere"):
            read("trades")


def test_the_number_of_partitions_has_a_limit(tmp_path: Path) -> None:
    folders = TopicFolders(tmp_path)
    with pytest.raises(ValueError, match="cannot have 99999999999 partitions; it needs 1 to 100000"):
        folders.create("trades", 99_999_999_999)
    (tmp_path / "trades").mkdir()
    (tmp_path / "trades/topic.json").write_text('{"partitions": 99999999999}')
    with pytest.raises(ValueError, match="does not contain a valid number of partitions"):
        folders.partitions("trades")
    (tmp_path / "trades/topic.json").unlink()
    (tmp_path / "trades/partition-9999999.jsonl").touch()
    with pytest.raises(OSError, match=r"partition-9999999\.jsonl' has too high a number; partitions are 0 to 99999"):
        folders.partitions("trades")


def test_the_partitions_of_a_topic_are_counted_again_once_it_has_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders, folder = TopicFolders(tmp_path), tmp_path / "trades"
    folders.create("trades", 1)
    listed: list[Path] = []
    list_folder = os.scandir

    def noted(path: Path) -> object:
        listed.append(path)
        return list_folder(path)

    monkeypatch.setattr(os, "scandir", noted)

    def age(seconds: int) -> None:
        for path in (folder / "topic.json", folder):
            os.utime(path, (time.time() - seconds,) * 2)

    age(100)
    assert [folders.partitions("trades") for _ in range(3)] == [1, 1, 1]
    assert listed == [folder]
    (folder / "partition-3.jsonl").touch()
    assert folders.partitions("trades") == 4
    age(90)
    assert folders.partitions("trades") == 4
    (folder / "topic.json").write_text('{"partitions": 9}')
    assert folders.partitions("trades") == 9
    age(80)
    assert folders.partitions("trades") == 9
    folders.delete("trades")
    with pytest.raises(UnknownTopicError):
        folders.partitions("trades")


def test_what_has_just_changed_is_counted_again(tmp_path: Path) -> None:
    folders, folder = TopicFolders(tmp_path), tmp_path / "trades"
    folders.create("trades", 1)
    assert folders.partitions("trades") == 1
    before = folder.stat().st_mtime_ns
    (folder / "partition-1.jsonl").touch()
    os.utime(folder, ns=(before, before))  # a file system with coarse times
    assert folders.partitions("trades") == 2
