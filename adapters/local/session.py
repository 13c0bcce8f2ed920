"""One session of a run: from joining the processes of the application until the run ends, or something is lost."""

import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from threading import Event
from typing import Final

from eddyline.adapters.local.committing import Committer
from eddyline.adapters.local.garbage_collection import keep_what_exists
from eddyline.adapters.local.reporting import Reporter
from eddyline.adapters.local.settling import settle
from eddyline.adapters.local.standby import LOGGER, WarmTasks
from eddyline.adapters.local.start import Started
from eddyline.adapters.local.step import StepSize, StepWatch
from eddyline.adapters.local.streams import Streams
from eddyline.adapters.local.tasks import LocalTasks
from eddyline.application.ports.clock import Clock
from eddyline.application.ports.event_log import EventLog, LogIdentity, LogRecord
from eddyline.application.ports.task_streams import Available, Feed
from eddyline.application.runtime.input.interruption import Interruption
from eddyline.application.runtime.input.offsets import Offsets, partitions_of
from eddyline.application.runtime.task.creation import close_tasks
from eddyline.application.runtime.task.exchange import TaskId

_POLL_S: Final = 0.1
_STANDBY_S: Final = 0.1
_JOINING_S: Final = 0.01
_SETTLE_S: Final = 0.002
_CHECK_S: Final = 1.0
_CHECK_SHARE: Final = 500
"""A check takes at most this part of the time."""
_MOST_RESULTS: Final = 50_000
_IDLE_CHECKS: Final = 10


class LogChangedError(RuntimeError):
    """Topics or partitions were added while the run was working; the next session reads them, too."""


class Session:
    """Runs the share of this process in the tasks of an application.

    Args:
        started: the plan of the run and what was found in the log.
        streams: creates feed, commits and membership.
        clock: the wall clock.
        reporter: reports progress.
        stopping: set when the run is to end.
        interruption: requested when the run is to end, which ends a step after the record that is being processed.
        size: how many records steps take, from session to session.
        target: the end offsets at which the run ends, None for a run without an end.
    """

    def __init__(
        self,
        started: Started,
        streams: Streams,
        clock: Clock,
        reporter: Reporter,
        stopping: Event,
        interruption: Interruption,
        size: StepSize,
        target: Offsets | None,
    ) -> None:
        self._started, self._clock, self._reporter, self._stopping, self._target = started, clock, reporter, stopping, target
        plan = started.plan
        self._membership = streams.membership(started.assignment, self._revoke)
        self._feed = streams.feed(plan)
        self._commits = streams.commits(self._membership)
        self._claim = streams.claim
        of_feed = replace(plan, ports=replace(plan.ports, log=FeedLog(plan.ports.log, self._feed)))
        self._plan = plan
        self._tasks = LocalTasks(of_feed, started.partitions, reporter.report, waits=target is None, interruption=interruption)
        self._size, self._watch = size, StepWatch(streams.step_s, interruption, stopping)
        self._warm = WarmTasks(of_feed, plan.ports.log, self._tasks, started.records, clock)
        self._committer = Committer(
            plan, self._tasks, self._commits, started.topics, reporter.report, started.records.last_batch + 1
        )
        self._held: Collection[int] | None = None
        self._interval_s = started.commit_interval_s
        self._commit_due = self._check_due = time.monotonic()
        self._idle_due = self._step_s = 0.0
        self._stands_by, self._lag = False, LagWatch()
        self._new: set[TaskId] = set()
        timeout_ms = plan.shortest_idle_timeout_ms
        self._idle_s = None if timeout_ms is None else min(max(timeout_ms / 1_000 / _IDLE_CHECKS, 0.005), 1.0)

    def run(self) -> None:
        """Run until the end. Raises what the log raises, and CommitLostError."""
        try:
            while not self._stopping.is_set():
                held = self._membership.held()
                if held is None:
                    self._stopping.wait(_JOINING_S)
                    continue
                if held != self._held:
                    self._take(frozenset(held))
                if not self._tasks.hosts:
                    self._stand_by()
                elif self._step():
                    break
            self._commit()
            self._warm.save()
        finally:
            self.close()

    def close(self) -> None:
        """Leave the processes of the application, without a commit."""
        self._watch.close()
        self._membership.close()
        self._commits.close()
        self._feed.close()
        try:
            close_tasks(host.task for _, host in sorted(self._tasks.hosts.items()))
        finally:
            self._warm.close()

    # --- the share in the tasks ---------------------------------------------------------------------------------------

    def _tasks_of(self, held: Collection[int]) -> set[TaskId]:
        numbers = self._started.numbers_of(held)
        return {task for task in self._started.partitions if task[1] in numbers}

    def _revoke(self, numbers: Collection[int]) -> None:
        """Commit and close tasks, before they move to another process."""
        if self._held is None:
            return
        moving = self._tasks.hosts.keys() & (self._tasks_of(self._held) - self._tasks_of(set(self._held) - set(numbers)))
        if moving:
            self._commit()
            self._remove(moving)

    def _remove(self, tasks: Collection[TaskId]) -> None:
        for task in tasks:
            self._tasks.remove(task).task.close()
            self._committer.remove(task)
            self._warm.release(task)
        if tasks:
            self._reporter.moved(self._committer.batch - 1, self._tasks)

    def _take(self, held: Collection[int]) -> None:
        before, wanted = set(self._tasks.hosts), self._tasks_of(held)
        self._remove(before - wanted)
        added = wanted - before
        if added:
            self._commit()  # what has been sent belongs to the transaction of the share until now
        self._held = held
        if wanted and not before:
            self._claim()
        self._warm.catch_up(added)
        if wanted:
            self._commits.open(sorted(self._started.numbers_of(held)))
        if added:
            settle(self._started, added, self._commits)
            if not self._started.catch_up({number for _, number in added}):
                raise LogChangedError("another process has written the state of the application; reading it again")
            self._warm.activate(added, self._started.positions(added))
            self._committer.batch = max(self._committer.batch, self._started.records.last_batch + 1)
            for task in added:
                self._committer.add(task)
            self._committer.application = self._started.application if 0 in held else None
            self._new |= added
            self._commit_due = time.monotonic() + self._interval_s
            if self._target is None:
                keep_what_exists()
            LOGGER.info("ready: %d tasks, batch %d", len(wanted), self._committer.batch)
            self._reporter.ready(self._tasks.lowest_positions())
        if wanted:
            self._feed.seek(self._tasks.lowest_positions())
            self._tasks.forget_ends()

    def _stand_by(self) -> None:
        if not self._stands_by:
            LOGGER.warning("another process runs the tasks of '%s'; this one stands by", self._plan.options.application_id)
            self._stands_by = True
        self._warm.catch_up(sorted(self._started.partitions))
        self._stopping.wait(_STANDBY_S)

    # --- the loop -----------------------------------------------------------------------------------------------------

    def _step(self) -> bool:
        """Process what comes next; return whether the target is reached."""
        self._stands_by = False
        available, resumes = self._available(), self._tasks.is_interrupted
        if self._committer.is_writing:
            self._settle()
        self._watch.begin()
        self._reporter.begin()
        began, now_ms = time.monotonic(), self._clock.now_ms()
        due = {*self._new, *self._tasks.due(now_ms)}
        if self._idle_s is not None and began >= self._idle_due:
            self._idle_due = began + self._idle_s
            due |= {task for task in self._tasks.hosts if task[0] in self._plan.with_idle_timeouts}
        self._new.clear()
        if resumes or available.ends or due or self._tasks.has_left():
            tasks = self._tasks
            sent = tasks.resume(now_ms, due=due) if resumes else tasks.step(available, now_ms, due=due)
            self._note_time(time.monotonic() - began)
            self._committer.send(sent)
            for partition, offset in tasks.take_moved():
                self._feed.release(partition, offset)
            if tasks.interruption.requested:
                self._feed.retract(tasks.retract())
        done = self._target is not None and not available.ends and self._reached()
        is_due = time.monotonic() >= self._commit_due or self._committer.results > _MOST_RESULTS
        if is_due or done or self._size.needs_commit or self._tasks.wants_commit():
            self._commit(wait=done)
        self._watch.end()
        self._reporter.end(is_idle=not self._tasks.dirty)
        if began >= self._check_due:
            begun = time.monotonic()
            self._check()
            ended = time.monotonic()
            self._check_due = ended + max(_CHECK_S, (ended - begun) * _CHECK_SHARE)
        return done

    def _available(self) -> Available:
        """Wait for records, unless those of the last step are not all processed; return how far partitions can be read now."""
        if self._tasks.is_interrupted:
            return Available()
        timeout_s = 0 if self._new else self._timeout_s(time.monotonic())
        return self._limited(self._feed.poll(timeout_s, self._size.limit))

    def _note_time(self, seconds: float) -> None:
        """Note how long tasks have worked for a step, together with those that it continues."""
        self._step_s += seconds
        if not self._tasks.is_interrupted:
            self._size.ended(self._tasks.taken, self._step_s)
            self._step_s, self._tasks.taken = 0.0, 0

    def _timeout_s(self, now: float) -> float:
        uncommitted = self._tasks.dirty or self._committer.results
        found = [self._commit_due - now if uncommitted else _POLL_S]
        due_ms = self._tasks.next_due()
        if due_ms is not None:
            found.append((due_ms - self._clock.now_ms()) / 1_000)
        if self._idle_s is not None:
            found.append(self._idle_due - now)
        if self._target is not None:
            found.append(0.02)
        if self._committer.is_writing:
            found.append(_SETTLE_S)
        return min(max(min(found), 0.0), _POLL_S)

    def _limited(self, available: Available) -> Available:
        """Return what is available up to the target."""
        target = self._target
        if target is None:
            return available
        known = {at: target[at.topic][at.partition] for at in partitions_of(target)}
        ends = {at: min(offset, known[at]) for at, offset in available.ends.items() if at in known}
        more = {at for at in available.more if at in known and ends.get(at, 0) < known[at]}
        return Available(ends, more, available.partial)

    def _reached(self) -> bool:
        target, positions = self._target or {}, self._tasks.lowest_positions()
        return not self._tasks.is_waiting() and all(
            offset >= target[at.topic][at.partition]
            for at, offset in positions.items()
            if at.partition < len(target.get(at.topic, ()))
        )

    def _commit(self, *, wait: bool = True) -> None:
        self._settle(wait=True)
        self._commit_due = time.monotonic() + self._interval_s
        if not self._tasks.hosts:
            return
        try:
            has_committed = self._committer.commit(self._clock.now_ms(), self._complete_offsets(), wait=wait)
        finally:
            self._size.committed(self._committer.tasks_s)
        if has_committed:
            self._commit_due = time.monotonic() + self._interval_s
            if not self._committer.is_writing:
                self._reporter.committed(self._committer.batch - 1, self._tasks)

    def _settle(self, *, wait: bool = False) -> None:
        if self._committer.is_writing and self._committer.settle(wait=wait):
            self._reporter.committed(self._committer.batch - 1, self._tasks)

    def _complete_offsets(self) -> Offsets:
        """Return the offsets before which all records are processed, if this process knows them for all partitions."""
        positions = self._tasks.lowest_positions()
        if len(self._tasks.hosts) < len(self._started.partitions) or self._tasks.is_waiting():
            return {}
        found: dict[str, dict[int, int]] = {}
        for (topic, number), offset in positions.items():
            found.setdefault(topic, {})[number] = offset
        return {topic: [offsets[number] for number in sorted(offsets)] for topic, offsets in found.items()}

    def _check(self) -> None:
        """Notice topics that were created again, and added ones. Raises LogMismatchError and LogChangedError."""
        if self._started.has_changed():
            self._commit()
            raise LogChangedError("topics or partitions were added; they are read from now on")
        if self._target is None:
            lag = self._started.lag(self._tasks.lowest_positions())
            if self._lag.is_behind(self._clock.now_ms() / 1_000, lag):
                LOGGER.warning(
                    "this process falls behind: %s records wait, and more come than it processes; start more processes, or move"
                    " the flow to Spark (--engine spark --restore-from changelog)",
                    f"{lag:,}",
                )


class FeedLog(EventLog):
    """Reads through a feed."""

    def __init__(self, log: EventLog, feed: Feed) -> None:
        self._log, self._feed = log, feed

    def topics(self) -> Sequence[str]:
        return self._log.topics()

    def partitions(self, topic: str) -> int:
        return self._log.partitions(topic)

    def beginning_offset(self, topic: str, partition: int) -> int:
        return self._log.beginning_offset(topic, partition)

    def end_offset(self, topic: str, partition: int) -> int:
        return self._log.end_offset(topic, partition)

    def bounds(self, topic: str, partition: int) -> tuple[int, int]:
        return self._log.bounds(topic, partition)

    def identity(self, topics: Iterable[str]) -> LogIdentity:
        return self._log.identity(topics)

    def read(self, topic: str, partition: int, start: int, end: int) -> Iterator[Sequence[LogRecord]]:
        return self._feed.read(topic, partition, start, end)


GROWING_S: Final = 60.0
_LEAST_LOOKS: Final = 5
"""On a busy machine there are few looks in a minute, at which a record or two that have just come may wait by chance."""


class LagWatch:
    """Watches whether lag grows, from one look to the next, for a minute."""

    def __init__(self) -> None:
        self._since: float | None = None
        self._last = self._looks = 0

    def is_behind(self, now_s: float, lag: int) -> bool:
        """Return whether lag has grown at every look for a minute; the next minute begins then.

        Args:
            now_s: The time in seconds.
            lag: The number of records that wait in the log.
        """
        grows, self._last = lag > self._last, lag
        if not grows:
            self._since = None
            return False
        if self._since is None:
            self._since, self._looks = now_s, 0
        self._looks += 1
        if now_s - self._since < GROWING_S or self._looks < _LEAST_LOOKS:
            return False
        self._since, self._looks = now_s, 0
        return True
