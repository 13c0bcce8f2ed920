"""Finds the origins of a result by replaying the log until it gives the result."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple, Protocol

from eddyline.application.lineage.limits import Effort, Limits
from eddyline.application.lineage.origins import Origins
from eddyline.application.lineage.paths import only_forgets
from eddyline.application.lineage.replay import Replay
from eddyline.application.lineage.retention import bounded_range, lost_offsets
from eddyline.application.lineage.schedules import KnownBatch, KnownBatches, PlannedBatches, Schedule, SingleRecords
from eddyline.application.lineage.tracker import Tracker, Wanted
from eddyline.application.lineage.transit import Result
from eddyline.application.ports.event_log import EventLog
from eddyline.application.runtime.input.offsets import Offsets, beginning_offsets, end_offsets, records_between
from eddyline.application.runtime.plan.options import RunOptions, RunPorts
from eddyline.application.runtime.plan.run_plan import RunPlan
from eddyline.application.topology import Topology

_DEFAULTS: Final = Limits()
_FORGETTING: Final = (
    "The first {:,} records were not replayed: the state of the flow forgets old records, and the result is the same "
    "without them."
)
_UNKNOWN_TIMES: Final = "The flow has wall-clock punctuation, and the wall-clock times of its run are not known."


class Target(Protocol):
    """What a replay looks for."""

    origins: Origins

    @property
    def is_found(self) -> bool:
        """Whether the replay has given it."""

    @property
    def is_certain(self) -> bool:
        """Whether it is the one that was looked for, even if only a part of the log was replayed."""

    @property
    def wanted(self) -> Wanted:
        """The results that matter."""

    def begin(self) -> None:
        """Forget what earlier replays have given."""

    def on_result(self, result: Result) -> None:
        """Look at a result. May raise StopReplayError."""

    def finish(self, replay: Replay) -> None:
        """Look at the state of the tasks at the end."""

    def once(self) -> "Target":
        """Return a target that is found as soon as a replay gives something equal."""


@dataclass(frozen=True)
class Source:
    """What is replayed.

    Attributes:
        topology: The topology of the flow.
        ports: Its ports; nothing is written.
        options: The options with which it runs.
        known_batches: Returns the batches of its last run, as far as they are known, by number.
        now_ms: The wall-clock time of a replay if that of the run is not known, in ms since the epoch.
        limits: Limits on the work of one answer.
        effort: The work that is done for answers.
    """

    topology: Topology
    ports: RunPorts
    options: RunOptions
    known_batches: Callable[[], Sequence[KnownBatch]] = tuple
    now_ms: int = 0
    limits: Limits = _DEFAULTS
    effort: Effort = field(default_factory=lambda: Effort(_DEFAULTS))

    def plan(self) -> RunPlan:
        """Return the plan of a run."""
        return RunPlan.of(self.topology, self.ports, self.options)

    def ports_with(self, log: EventLog) -> RunPorts:
        """Return the ports with another log."""
        return replace(self.ports, log=log)

    def schedules(self) -> Iterable[Schedule]:
        """Yield the batches in which the log may have been processed, the most likely ones first."""
        known = self.known_batches()
        if known:
            yield KnownBatches(known)
        yield PlannedBatches(self.now_ms)
        yield SingleRecords(self.now_ms)


class Scope(NamedTuple):
    """The sub-topologies that are replayed, and the topics whose results matter."""

    sub_topologies: Collection[int] | None = None
    written: frozenset[str] | None = None


class Search(NamedTuple):
    """A replay that has given what was looked for, or one that has not.

    Attributes:
        replay: The replay.
        tracker: Its tracker.
        schedule: The batches of the replay.
        start: Where it began.
        end: Where it ended at the latest.
        replayed: The number of records that were replayed in all.
        notes: What is to be known about the answer.
        problem: The exception that ended the replay, None if there was none.
    """

    replay: Replay
    tracker: Tracker
    schedule: Schedule
    start: Offsets
    end: Offsets
    replayed: int
    notes: list[str]
    problem: str | None = None


def search(source: Source, target: Target, scope: Scope, timestamp: int | None) -> Search:
    """Replay the log in different batches until a replay gives the target; `timestamp` is its time in ms since the epoch.

    If the flow has only stores that forget, such as windows, the records shortly before the target are replayed first. If they
    do not give it, or not as often as its partition has it, the whole log is replayed.
    """
    plan, limit = source.plan(), source.limits.records
    log, topics = plan.ports.log, plan.log_topics()
    begin, end = beginning_offsets(log, topics), end_offsets(log, topics)
    schedules = list(source.schedules())
    replayed = 0
    if timestamp is not None and only_forgets(source.topology, scope.sub_topologies):
        total = records_between(begin, end)
        for count in (count for count in (source.limits.first, 10 * source.limits.first) if count < total / 2):
            start, stop = bounded_range(log, begin, end, timestamp, count)
            found = _tried(source, target, scope, schedules[0], (start, stop))
            replayed += found.tracker.taken
            if target.is_certain:
                return found._replace(replayed=replayed, notes=[_FORGETTING.format(records_between(begin, start))])
    start, stop = bounded_range(log, begin, end, timestamp, limit)
    lost = list(lost_offsets(begin))
    if start != begin:
        skipped = records_between(begin, start)
        lost.append(f"The log is longer than the limit of {limit:,} records, so its first {skipped:,} were not replayed.")
    found = _tried(source, target, scope, schedules[0], (start, stop))
    replayed += found.tracker.taken
    for schedule in schedules[1:]:
        if target.is_found:
            break
        found = _tried(source, target, scope, schedule, (start, stop))
        replayed += found.tracker.taken
    notes = _notes(target, lost, [schedule.description for schedule in schedules])
    if found.problem is not None and not target.is_found:
        notes.append(f"The replay ended with an exception: {found.problem}.")
    if stop != end and not target.is_found:
        notes.append(f"The replay ended at the limit of {limit:,} records.")
    if found.replay.follows_wall_clock and not isinstance(found.schedule, KnownBatches):
        notes.append(_UNKNOWN_TIMES)
    return found._replace(replayed=replayed, notes=notes)


def _tried(source: Source, target: Target, scope: Scope, schedule: Schedule, offsets: tuple[Offsets, Offsets]) -> Search:
    """Replay the log between two positions in the batches of a schedule."""
    target.begin()
    tracker = Tracker(source.effort.step, history=source.limits.history, wanted=target.wanted)
    replay = _replay(source, target, scope, tracker)
    problem = attempt(replay, schedule, *offsets)
    target.finish(replay)
    return Search(replay, tracker, schedule, *offsets, tracker.taken, [], problem)


def _replay(source: Source, target: Target, scope: Scope, tracker: Tracker) -> Replay:
    return Replay(
        source.topology,
        source.ports,
        source.options,
        tracker,
        on_result=target.on_result,
        written=scope.written,
        sub_topologies=scope.sub_topologies,
    )


def attempt(replay: Replay, schedule: Schedule, start: Offsets, end: Offsets) -> str | None:
    """Run a replay; return the exception that ended it, None if it came to its end or was stopped."""
    try:
        replay.run(schedule, start, end)
    except Exception as error:  # noqa: BLE001 - whatever the flow raises without the records that are missing
        return f"{type(error).__name__}: {error}"
    return None


def _notes(target: Target, lost: Sequence[str], tried: Sequence[str]) -> list[str]:
    if target.is_found:
        if not lost:
            return []
        return [*lost, "The result is the same without them."]
    notes = [*lost]
    if lost:
        notes.append("The state that they had left is not known, so the replay cannot give results that depend on it.")
    notes.append(f"The log was replayed {', '.join(tried[:-1])}{' and ' if tried[:-1] else ''}{tried[-1]}, without this result.")
    return notes
