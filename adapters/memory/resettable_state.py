"""What an application leaves in a memory event log: the last batches of its slots, and records that are to go."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Final

from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.application.operations.resetting import is_writer_of
from eddyline.application.ports.resettable_state import Application, Artifact, ResettableState

_TOPIC: Final = "records of a topic"
_NOTES: Final = "notes of batches"


class MemoryResettableState(ResettableState):
    """Looks through the topics of `log`."""

    def __init__(self, log: MemoryEventLog) -> None:
        self._log = log

    def locked(self, application: Application) -> AbstractContextManager[None]:
        del application
        return nullcontext()

    def find(self, application: Application) -> Sequence[Artifact]:
        found = []
        for topic in application.topics:
            partitions = self._log.partitions(topic) if topic in self._log.topics() else 0
            records = sum(self._log.end_offset(topic, number) for number in range(partitions))
            if records:
                found.append(Artifact(_TOPIC, topic, f"{records:,} records in {partitions} partitions"))
        slots = [slot for slot in self._log.written if is_writer_of(application.id, slot[0])]
        return [*found, Artifact(_NOTES, "memory", f"of {len(slots)} slots")] if slots else found

    def remove(self, application: Application, artifact: Artifact) -> None:
        if artifact.kind == _TOPIC:
            self._log.empty(artifact.location)
            return
        for slot in [slot for slot in self._log.written if is_writer_of(application.id, slot[0])]:
            del self._log.written[slot]
