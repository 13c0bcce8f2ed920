"""The batches of a flow that its changelogs have recorded."""

from collections.abc import Iterator

from eddyline.application.lineage.schedules import KnownBatch
from eddyline.application.ports.event_log import EventLog
from eddyline.application.runtime.plan.changelogs import ChangelogProgress, changelog_topics, decode
from eddyline.application.topology import Topology


def changelog_batches(log: EventLog, topology: Topology, application_id: str) -> list[KnownBatch]:
    """Return the batches of the last run, as far back as a changelog has the progress of all of them without a gap.

    A log that compacts topics keeps the last one only, and a batch that left records to the next one is part of that.
    """
    existing = set(log.topics())
    topic = next((topic for topic in changelog_topics(topology, application_id) if topic in existing), None)
    if topic is None:
        return []
    found: list[KnownBatch] = []
    last = -1
    for progress in _progress(log, topic):
        if progress.batch != last + 1:
            found = []
        last = progress.batch
        if progress.offsets and (not found or progress.offsets != found[-1].ends):
            ends = {name: list(numbers) for name, numbers in progress.offsets.items()}
            found.append(KnownBatch(progress.batch, progress.time_ms, ends, {}))
    return found


def _progress(log: EventLog, topic: str) -> Iterator[ChangelogProgress]:
    for batch in log.read(topic, 0, *log.bounds(topic, 0)):
        for record in batch:
            if not record.key:
                entry = decode(record.key, record.value, record.timestamp)
                if isinstance(entry, ChangelogProgress):
                    yield entry
