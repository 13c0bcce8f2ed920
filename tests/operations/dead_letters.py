"""A log in memory with dead letters, for the tests of reading and redriving them."""

from collections import Counter
from collections.abc import Iterable, Sequence

from eddyline.adapters.memory.clock import MemoryClock
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.event_sink import MemoryEventSink
from eddyline.application.operations.dead_letter_log import DeadLetter, DeadLetterLog, LetterPosition
from eddyline.application.operations.redrive import Outcome, Redriver
from eddyline.application.ports.codec import CodecError
from eddyline.application.ports.event_log import LogRecord
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.runtime.plan.dead_letters import reason_headers

DEAD_LETTERS, JOURNAL = "app-dead-letters", "app-dead-letters-redriven"
TRACE = ("trace", b"1")


class DeadLetterSetup:
    """The topic `trades` with three partitions, and the dead letter topic of application `app` with two."""

    def __init__(self) -> None:
        self.log = MemoryEventLog()
        self.log.create_topic("trades", 3)
        self.log.create_topic(DEAD_LETTERS, 2)

    def add_letter(self, offset: int, *, to_partition: int = 0, partition: int = 1) -> LetterPosition:
        """Add a dead letter of a record that had this partition and offset; return the position of the dead letter."""
        headers = (TRACE, *reason_headers(CodecError("no price"), "trades", partition, offset))
        at = self.log.append(DEAD_LETTERS, b"k%d" % offset, b"v%d" % offset, 1_000 + offset, headers, partition=to_partition)
        return LetterPosition(to_partition, at)

    def redriver(self, sink: MemoryEventSink | None = None) -> Redriver:
        return Redriver(self.log, sink or MemoryEventSink(self.log), MemoryClock(), "app", timeout_s=0.2)

    def letters(self, *positions: LetterPosition) -> Iterable[DeadLetter]:
        """Return the dead letters at these positions, or all."""
        letters = DeadLetterLog(self.log, "app")
        return map(letters.at, positions) if positions else letters

    def redrive(self, *positions: LetterPosition) -> Counter[Outcome]:
        """Redrive the dead letters at these positions, or all, with a new redriver."""
        return Counter(result.outcome for result in self.redriver().redrive(self.letters(*positions)))

    def records(self, topic: str = "trades") -> list[LogRecord]:
        return [
            record
            for number in range(self.log.partitions(topic))
            for batch in self.log.read(topic, number, 0, self.log.end_offset(topic, number))
            for record in batch
        ]

    def values(self) -> list[bytes]:
        return sorted(record.value or b"" for record in self.records())


class KilledError(Exception):
    pass


class KilledSink(MemoryEventSink):
    """A sink whose process is killed after a number of writes."""

    def __init__(self, log: MemoryEventLog, writes: int) -> None:
        super().__init__(log)
        self._writes_left = writes

    def write(self, writer: str, slot: int, batch: int, records: Sequence[SinkRecord]) -> bool:
        if not self._writes_left:
            raise KilledError
        self._writes_left -= 1
        return super().write(writer, slot, batch, records)
