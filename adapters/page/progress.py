"""The progress of a flow, from the run in this process, or from what its changelogs say of a run elsewhere."""

from collections import deque
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from statistics import median

from eddyline.application.monitoring.freshness_history import FreshnessSample
from eddyline.application.monitoring.run_status import BatchStatus, RunState, RunStatus, Totals

_SMOOTHED = 5
"""The number of samples over which throughput is measured, since changelogs advance in steps."""
_SMOOTHED_MS = 5_000
"""The time over which the throughput of batches is measured."""
WAITING = "records waiting"
"""The state of what has records to process that came lately."""
_IN_FLIGHT_MS = 40_000
"""How long records wait at most without being behind: a commit interval of `at_least_once`, and the time until it is seen."""
_FEW = 5
"""The number of times between batches of which there is a usual one."""
_SECOND_MS = 1_000
_STATES = {
    RunState.CREATED: ("starting", ""),
    RunState.RUNNING: ("running", "good"),
    RunState.RESTARTING: ("restarting", "bad"),
    RunState.PENDING_SHUTDOWN: ("stopping", "warn"),
    RunState.NOT_RUNNING: ("ended", ""),
    RunState.ERROR: ("failed", "bad"),
}
"""The states of a run in a word, with their tones."""


@dataclass(frozen=True)
class ProgressPoint:
    """The progress at one time; what is not known is None.

    Attributes:
        time: The wall-clock time in ms since the epoch.
        throughput: Records per second.
        lag: Records in the source topics that are not processed yet.
        stream_time: The stream time in ms since the epoch.
        batch_seconds: The duration of the batch that ended at this time.
        entries: Entries of all stores.
        size_bytes: Their size.
    """

    time: int
    throughput: float | None = None
    lag: int | None = None
    stream_time: int | None = None
    batch_seconds: float | None = None
    entries: int | None = None
    size_bytes: int | None = None


@dataclass(frozen=True)
class PartitionProgress:
    """The position in a partition of a source topic; `end` and `advanced` are None if they are not known."""

    topic: str
    partition: int
    offset: int
    end: int | None = None
    advanced: int | None = None


@dataclass(frozen=True)
class FlowProgress:
    """The progress of a flow now and over the last minutes.

    Attributes:
        state: The state in a word or two.
        tone: `good`, `warn`, `bad`, or empty.
        failure: What is wrong with the run, such as when it restarts, and why.
        now: The latest point.
        batch: The number of the last batch.
        batch_time: When it was processed.
        points: The points, oldest first.
        partitions: The positions in the source topics.
        totals: The counts of the run, None if this process does not run the flow.
    """

    state: str
    tone: str
    now: ProgressPoint
    failure: str | None = None
    batch: int | None = None
    batch_time: int | None = None
    points: Sequence[ProgressPoint] = ()
    partitions: Sequence[PartitionProgress] = field(default=())
    totals: Totals | None = None


class Waiting:
    """Tells records that wait for the next commit from those for which no commit comes, as far as it has watched them."""

    def __init__(self) -> None:
        self._since: dict[Hashable, tuple[Hashable, int]] = {}

    def is_behind(self, name: Hashable, position: Hashable, lag: int | None, now_ms: int) -> bool:
        """Return whether something with records to process has stayed at its position for longer than a commit takes."""
        if not lag:
            self._since.pop(name, None)
            return False
        before, since = self._since.get(name, (None, now_ms))
        if before != position:
            since = now_ms
        self._since[name] = position, since
        return now_ms - since > _IN_FLIGHT_MS


def of_run(status: RunStatus) -> FlowProgress:
    """Return the progress of a run in this process."""
    last = status.history[-1] if status.history else None
    state, tone = _STATES[status.state]
    return FlowProgress(
        state=state,
        tone=tone,
        failure=status.problem,
        now=ProgressPoint(
            time=status.time,
            throughput=status.records_per_second,
            lag=status.lag,
            stream_time=status.stream_time,
            batch_seconds=None if last is None else last.seconds,
            entries=status.state_entries,
            size_bytes=status.state_bytes,
        ),
        batch=None if last is None else last.batch,
        batch_time=None if last is None else last.time,
        points=_without_start(list(_batches(status))),
        partitions=[
            PartitionProgress(found.topic, found.partition, found.offset, found.end, found.last_advanced)
            for found in status.partitions
        ],
        totals=status.totals,
    )


def of_samples(samples: Sequence[FreshnessSample]) -> FlowProgress | None:
    """Return the progress that samples of the state show, None without samples."""
    if not samples:
        return None
    points, last = list(_samples(samples)), samples[-1]
    restoring = last.restoring
    return FlowProgress(
        state="restoring" if restoring else "behind" if _is_behind(samples) else "up to date" if last.lag == 0 else WAITING,
        tone="warn" if restoring or _is_behind(samples) else "good" if last.lag == 0 else "",
        now=points[-1],
        batch=last.batch,
        batch_time=last.batch_time,
        points=points,
        partitions=[
            PartitionProgress(topic, number, offset)
            for topic, offsets in sorted(last.offsets.items())
            for number, offset in enumerate(offsets)
        ],
    )


def _without_start(points: list[ProgressPoint]) -> list[ProgressPoint]:
    """Return the points without the throughput of the first batch, which reads what has waited, if there are others."""
    return [replace(points[0], throughput=None), *points[1:]] if len(points) > 1 else points


def _is_behind(samples: Sequence[FreshnessSample]) -> bool:
    """Return whether records that had come a while ago are not processed yet; later ones may wait for the next commit."""
    last = samples[-1]
    earlier = [sample for sample in samples if sample.time <= last.time - _IN_FLIGHT_MS]
    return bool(earlier) and last.lag > 0 and last.records < earlier[-1].records + earlier[-1].lag


def _batches(status: RunStatus) -> Iterator[ProgressPoint]:
    """Yield a point for each batch, and between them two for each time without one, in which nothing changed."""
    history = status.history
    recent: deque[BatchStatus] = deque()
    gaps = [after.time - before.time for before, after in pairwise(history)]
    idle_ms = max(_SMOOTHED_MS, 3 * median(gaps)) if len(gaps) >= _FEW else _SMOOTHED_MS
    point: ProgressPoint | None = None
    for batch in history:
        began = batch.time - round(batch.seconds * _SECOND_MS)
        if point is not None and began - point.time > idle_ms:
            yield from _idle(point, began)
            recent = deque([replace(recent[-1], time=batch.time - _SMOOTHED_MS)])
        while len(recent) > 1 and recent[1].time <= batch.time - _SMOOTHED_MS:
            recent.popleft()
        elapsed = batch.time - recent[0].time if recent else 0
        records = sum(before.records for before in recent) - (recent[0].records if recent else 0) + batch.records
        point = ProgressPoint(
            time=batch.time,
            throughput=records * _SECOND_MS / elapsed if elapsed > 0 else batch.records / max(batch.seconds, 0.001),
            lag=batch.lag,
            stream_time=batch.stream_time,
            batch_seconds=batch.seconds,
            entries=batch.state_entries,
            size_bytes=batch.state_bytes,
        )
        yield point
        recent.append(batch)
    if point is not None and status.state is RunState.RUNNING and status.time - point.time > idle_ms and status.lag == 0:
        yield from _idle(replace(point, lag=0), status.time)


def _idle(before: ProgressPoint, end: int) -> Iterator[ProgressPoint]:
    """Yield the ends of a time without a batch."""
    still = replace(before, throughput=0.0, batch_seconds=None)
    yield replace(still, time=min(before.time + _SECOND_MS, end))
    yield replace(still, time=end)


def _samples(samples: Sequence[FreshnessSample]) -> Iterator[ProgressPoint]:
    for number, sample in enumerate(samples):
        before = samples[max(0, number - _SMOOTHED)]
        elapsed = sample.time - before.time
        known = elapsed > 0 and not sample.restoring and not before.restoring
        yield ProgressPoint(
            time=sample.time,
            throughput=max(0, sample.records - before.records) * _SECOND_MS / elapsed if known else None,
            lag=None if sample.restoring else sample.lag,
            stream_time=sample.stream_time,
            entries=sample.entries,
            size_bytes=sample.size_bytes,
        )
