"""Redriving on files, where a batch goes into one partition file after the other and a process may die in between."""

from pathlib import Path

import pytest

from eddyline.adapters.files.event_log import FileEventLog
from eddyline.adapters.files.event_sink import FileEventSink
from eddyline.adapters.files.journal import BatchId
from eddyline.adapters.memory.clock import MemoryClock
from eddyline.application.operations.dead_letter_log import DeadLetterLog
from eddyline.application.operations.redriving import Outcome, Redriving
from eddyline.application.ports.codec import CodecError
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.runtime.dead_letters import reason_headers

LETTERS = [
    SinkRecord("app-dead-letters", b"k", b"v%d" % number, 1, reason_headers(CodecError("x"), "t", number % 3, number))
    for number in range(6)
]


class KilledError(RuntimeError):
    pass


class Killed(FileEventSink):
    """Dies before its nth partition file."""

    lives = 0

    def _append(self, topic: str, partition: int, batch: BatchId, data: bytes) -> bool:
        if not self.lives:
            raise KilledError
        self.lives -= 1
        return super()._append(topic, partition, batch, data)


def redriving(folder: Path, sink: FileEventSink) -> Redriving:
    return Redriving(FileEventLog(folder), sink, MemoryClock(), "app")


def values(log: FileEventLog) -> list[bytes | None]:
    return [
        record.value for number in range(3) for batch in log.read("t", number, 0, log.end_offset("t", number)) for record in batch
    ]


@pytest.mark.parametrize("lives", range(6))
def test_a_redrive_killed_between_two_files_writes_each_record_once_in_the_end(tmp_path: Path, lives: int) -> None:
    sink, log = FileEventSink(tmp_path), FileEventLog(tmp_path)
    sink.create_topic("t", 3)
    sink.create_topic("app-dead-letters", 1)
    sink.write("w", 0, 0, LETTERS)
    killed = Killed(tmp_path)
    killed.lives = lives
    letters = DeadLetterLog(log, "app")
    if lives < 5:
        with pytest.raises(KilledError):
            list(redriving(tmp_path, killed).redrive(letters))
    else:
        list(redriving(tmp_path, killed).redrive(letters))
    list(redriving(tmp_path, sink).redrive([next(iter(letters))]))
    list(redriving(tmp_path, sink).redrive(letters))
    assert values(log) == [b"v0", b"v3", b"v1", b"v4", b"v2", b"v5"]
    assert {step.outcome for step in redriving(tmp_path, sink).redrive(letters)} == {Outcome.IN_ALREADY}
