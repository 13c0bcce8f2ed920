"""Redriving on files: a batch goes to one partition file after the other, and the process may be killed in between."""

from pathlib import Path

import pytest

from eddyline.adapters.files.event_log import FileEventLog
from eddyline.adapters.files.event_sink import FileEventSink
from eddyline.adapters.files.journal import BatchId
from eddyline.adapters.memory.clock import MemoryClock
from eddyline.application.operations.dead_letter_log import DeadLetterLog
from eddyline.application.operations.redrive import Outcome, Redriver
from eddyline.application.ports.codec import CodecError
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.runtime.plan.dead_letters import reason_headers
from tests.ports.environments import values

DEAD_LETTERS = [
    SinkRecord("app-dead-letters", b"k", b"v%d" % number, 1, reason_headers(CodecError("x"), "t", number % 3, number))
    for number in range(6)
]


class KilledError(RuntimeError):
    pass


class KilledSink(FileEventSink):
    """A sink whose process is killed after a number of appends to partition files."""

    appends_left = 0

    def _append(self, topic: str, partition: int, batch: BatchId, data: bytes) -> bool:
        if not self.appends_left:
            raise KilledError
        self.appends_left -= 1
        return super()._append(topic, partition, batch, data)


def redriver(folder: Path, sink: FileEventSink) -> Redriver:
    return Redriver(FileEventLog(folder), sink, MemoryClock(), "app")


@pytest.mark.parametrize("appends", range(6))
def test_a_redrive_killed_between_two_partition_files_writes_each_record_once_when_completed(
    tmp_path: Path, appends: int
) -> None:
    sink, log = FileEventSink(tmp_path), FileEventLog(tmp_path)
    sink.create_topic("t", 3)
    sink.create_topic("app-dead-letters", 1)
    sink.write("w", 0, 0, DEAD_LETTERS)
    killed = KilledSink(tmp_path)
    killed.appends_left = appends
    letters = DeadLetterLog(log, "app")
    if appends < 5:
        with pytest.raises(KilledError):
            list(redriver(tmp_path, killed).redrive(letters))
    else:
        list(redriver(tmp_path, killed).redrive(letters))
    list(redriver(tmp_path, sink).redrive([next(iter(letters))]))
    list(redriver(tmp_path, sink).redrive(letters))
    written = [value for partition in range(3) for value in values(log, "t", partition)]
    assert written == [b"v0", b"v3", b"v1", b"v4", b"v2", b"v5"]
    assert {result.outcome for result in redriver(tmp_path, sink).redrive(letters)} == {Outcome.ALREADY_REDRIVEN}
