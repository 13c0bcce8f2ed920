"""The resettable state in a memory event log: the last batch numbers of an application, and records of topics."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Final

from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.application.operations.reset import is_writer_of, keeps_state
from eddyline.application.ports.resettable_state import Application, Artifact, ResettableState, counted

_RECORDS: Final = "records of a topic"
_BATCH_NUMBERS: Final = "last batch numbers"
_INTERNAL: Final = "internal topic"


class MemoryResettableState(ResettableState):
    """The state of applications in `log`. It has no lock: a memory log is used by one process."""

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
                found.append(Artifact(_RECORDS, topic, f"{records:,} records in {partitions} partitions"))
        existing = set(self._log.topics())
        internal = [topic for topic in application.internal_topics if topic in existing]
        found += [Artifact(_INTERNAL, topic, counted(self._log.partitions(topic), "partition")) for topic in internal]
        slots = [slot for slot in self._log.last_batches if is_writer_of(application.id, slot[0])]
        return [*found, Artifact(_BATCH_NUMBERS, "memory", f"{len(slots)} slots")] if slots else found

    def has_results(self, application_id: str) -> bool:
        return any(keeps_state(application_id, writer) for writer, _ in self._log.last_batches)

    def remove(self, application: Application, artifact: Artifact) -> None:
        if artifact.kind == _RECORDS:
            self._log.clear(artifact.location)
            return
        if artifact.kind == _INTERNAL:
            if artifact.location in self._log.topics():
                self._log.delete_topic(artifact.location)
            return
        for slot in [slot for slot in self._log.last_batches if is_writer_of(application.id, slot[0])]:
            del self._log.last_batches[slot]
