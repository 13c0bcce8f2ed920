"""What a session begins with: the plan, the partitions of each task, and the state that was left in the log."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Final

from eddyline.adapters.local.restoring import StateMismatchError, TaskRecords, lost_state
from eddyline.adapters.local.standby import LOGGER
from eddyline.adapters.local.streams import Assignment
from eddyline.application.ports.event_log import LogIdentity, TopicPartition
from eddyline.application.runtime.input.batch_planner import BatchEnd, task_ranges
from eddyline.application.runtime.input.offsets import ends_of
from eddyline.application.runtime.output.topics import TopicCreator, ensure_changelogs
from eddyline.application.runtime.plan.options import RunOptions, RunPorts
from eddyline.application.runtime.plan.run_plan import RunPlan
from eddyline.application.runtime.progress.log_identity import check_log, with_topics_of
from eddyline.application.runtime.progress.offset_reset import check_partitions, find_resets, skipped_offsets, with_resets
from eddyline.application.runtime.progress.report import RunReport
from eddyline.application.runtime.progress.task_records import ApplicationRecord, tasks_topic
from eddyline.application.runtime.task.exchange import TaskId
from eddyline.application.topology import Topology
from eddyline.application.topology.evolution import breaking, changes, described, from_json, rebuilding, way_out

DEFAULT_COMMIT_INTERVAL_MS: Final = 100


def logged(topology: Topology, options: RunOptions) -> RunOptions:
    """Return the options with a changelog for every store, since nothing else keeps the state."""
    names = tuple(sorted(name for sub in topology.sub_topologies for name in sub.stores))
    return replace(options, changelog_stores=names)


@dataclass
class Started:
    """What a session begins with.

    Args:
        plan: the plan of the run.
        topics: creates topics.
        records: the records of the tasks.
        partitions: the partitions of the log that each task reads.
        identity: the identity of the log.
        report: receives the numbers of offsets that were skipped.
    """

    plan: RunPlan
    topics: TopicCreator
    records: TaskRecords
    partitions: Mapping[TaskId, tuple[TopicPartition, ...]]
    identity: LogIdentity
    report: RunReport

    @classmethod
    def of(
        cls,
        topology: Topology,
        ports: RunPorts,
        options: RunOptions,
        report: RunReport,
        *,
        moving: bool = False,
        kept: Mapping[str, int] | None = None,
    ) -> "Started":
        """Look at the log, create the topics that are missing, and return what was found.

        `moving` if the state moves to or from another engine, which needs no topics of results; `kept` has the numbers of
        partitions that repartition topics have in the state that comes, by default those in the state that was found.

        Raises:
            UnknownTopicError: a source topic does not exist.
            LogMismatchError: the state belongs to another log.
            StateMismatchError: the state belongs to another topology.
        """
        options = logged(topology, options)
        application_id = options.application_id
        records = TaskRecords(ports.log, application_id)
        if tasks_topic(application_id) in ports.log.topics():
            records.catch_up(())
        left = records.application
        if kept is None and left is not None:
            kept = left.partitions
        plan = RunPlan.of(topology, ports, options, kept)
        identity = ports.log.identity(plan.log_topics())
        description = described(topology)
        if left is not None:
            check_log(left.log, identity, application_id)
            identity = with_topics_of(left.log, identity)
            if left.moved_to and not moving:
                raise StateMismatchError(
                    f"the state of application '{application_id}' was moved to the engine {left.moved_to}; run the flow with "
                    f"--engine {left.moved_to}, or move its state back with --restore-from checkpoint"
                )
            _check_topology(left, topology, application_id)
            description = description.following(from_json(dict(left.topology)))
        topics = TopicCreator(ports.sink, options.new_topic_partitions)
        if not moving:
            topics.ensure(spec.name for spec in topology.sink_topics)
        ensure_changelogs(plan, topics)
        topics.ensure_compacted({tasks_topic(application_id): max((*plan.tasks, 1))})
        now = ApplicationRecord(identity, description.as_json(), dict(plan.repartition_partitions))
        started = cls(plan, topics, records, _partitions(plan), identity, report)
        started.application, started.left, started.present = None if left == now else now, left, now
        return started

    application: ApplicationRecord | None = None
    """The record of the application, if it has to be written."""
    left: ApplicationRecord | None = None
    """The record of the application that was found."""
    present: ApplicationRecord | None = None
    """The record of the application as this run has it."""

    def catch_up(self, numbers: Collection[int]) -> bool:
        """Read the records of tasks once they are settled; return whether the plan holds.

        It does not if a process has written another record of the application that was not visible when the plan was made.
        """
        self.records.catch_up(numbers)
        return self.records.application in (self.left, self.present)

    @property
    def source_topics(self) -> list[str]:
        """The topics of the log that the plan knows; more may have appeared since it was made."""
        return [topic for topic in topics_read(self.plan) if topic != self.plan.clock_topic]

    @property
    def commit_interval_s(self) -> float:
        """The time between two commits in seconds."""
        interval_ms = self.plan.options.commit_interval_ms
        return (DEFAULT_COMMIT_INTERVAL_MS if interval_ms is None else interval_ms) / 1_000

    @property
    def assignment(self) -> Assignment:
        """The topic whose partitions are shared: that with the most partitions."""
        counts = {topic: self.plan.partitions[topic] for topic in self.source_topics}
        own = {topic: count for topic, count in counts.items() if topic not in self.plan.global_topics} or counts
        topic = max(own, key=lambda name: (own[name], name), default="")
        return Assignment(topic, own.get(topic, 1))

    def numbers_of(self, held: Collection[int]) -> frozenset[int]:
        """Return the numbers of the tasks that belong to the partitions that are held.

        Tasks that send records to each other stay together, in the process that holds partition 0.
        """
        numbers = {number for _, number in self.partitions}
        if self.plan.topology.repartition_topics:
            return frozenset(numbers if 0 in held else ())
        count = self.assignment.partitions
        return frozenset(number for number in numbers if number % count in held)

    def positions(self, tasks: Collection[TaskId]) -> dict[TaskId, dict[TopicPartition, int]]:
        """Return where tasks continue; those of global tables, which are not stored, at the beginning.

        Raises:
            OffsetOutOfRangeError: the log no longer has a position, and `auto_offset_reset` does not accept that.
            StateMismatchError: a changelog has lost entries.
        """
        self.check_changelogs(tasks)
        log, plan = self.plan.ports.log, self.plan
        bounds = log.topic_bounds(topics_read(plan))
        found: dict[TaskId, dict[TopicPartition, int]] = {}
        for task in tasks:
            topics = plan.input_topics(task[0])
            stored = {at: offset for record in self.records.of(topics, task[1]) for at, offset in record.positions.items()}
            begin = {topic: [first for first, _ in numbers] for topic, numbers in bounds.items()}
            for (topic, number), offset in stored.items():
                if topic in begin and topic not in plan.global_topics and number < len(begin[topic]):
                    begin[topic][number] = offset
            ends = ends_of(bounds)
            check_partitions(begin, ends)
            resets = find_resets(begin, ends, bounds, plan.options.auto_offset_reset)
            self.report.add_skipped(skipped_offsets(resets))
            begin = {topic: list(numbers) for topic, numbers in with_resets(begin, resets).items()}
            found[task] = {at: begin[at.topic][at.partition] for at in self.partitions[task]}
        return found

    def check_changelogs(self, tasks: Collection[TaskId]) -> None:
        """Make sure that the changelogs of settled tasks have all that was written, and no more. Raises StateMismatchError."""
        log, plan, own = self.plan.ports.log, self.plan, tasks_topic(self.plan.options.application_id)
        for sub, number in tasks:
            reached = dict.fromkeys(plan.changelogs.get(sub, {}).values(), 0)
            for record in self.records.of(plan.input_topics(sub), number):
                reached.update({topic: offset for topic, offset in record.changelogs.items() if topic in reached})
            for topic, offset in reached.items():
                begin, end = log.bounds(topic, number)
                if not self.records.knows(number) and any(batch for batch in log.read(topic, number, begin, end)):
                    raise StateMismatchError(
                        f"the state of application '{plan.options.application_id}' is lost in part: the changelog topic '{topic}'"
                        f" has records, but the topic with their positions, '{own}', has none; restore that topic,"
                        " or run 'eddyline reset' for the flow to start over"
                    )
                if begin > 0 or end < offset:
                    lost = f"those before {begin}" if begin > 0 else f"at least {offset} records"
                    raise lost_state(plan.options.application_id, topic, number, f"offsets {begin} to {end}", lost)

    def lag(self, positions: Mapping[TopicPartition, int]) -> int:
        """Return the number of offsets from these positions to the ends of the log."""
        log = self.plan.ports.log
        return sum(max(0, log.end_offset(*partition) - offset) for partition, offset in positions.items())

    def has_changed(self) -> bool:
        """Return whether topics or partitions were added. Raises LogMismatchError if a topic was created again."""
        log, plan = self.plan.ports.log, self.plan
        topics = plan.log_topics()
        check_log(self.identity, log.identity(topics), plan.options.application_id)
        return any(plan.partitions.get(topic) != log.partitions(topic) for topic in topics)


def topics_read(plan: RunPlan) -> list[str]:
    """Return the topics of the log that a run reads, that of the clock included."""
    named = [topic for topic in plan.log_topics() if topic in plan.partitions]  # others have appeared since then
    clock = () if plan.clock_topic is None else (plan.clock_topic,)
    return list(dict.fromkeys((*named, *clock)))


def _partitions(plan: RunPlan) -> dict[TaskId, tuple[TopicPartition, ...]]:
    log = plan.ports.log
    zeros = {topic: [0] * (plan.partitions.get(topic) or log.partitions(topic)) for topic in topics_read(plan)}
    return {
        (sub, number): tuple(TopicPartition(found.topic, found.partition) for found in ranges)
        for sub, number, ranges in task_ranges(plan, zeros, BatchEnd(zeros, {}))
    }


def _check_topology(left: ApplicationRecord, topology: Topology, application_id: str) -> None:
    """Warn of changes that rebuild state. Raises StateMismatchError if one breaks it."""
    found = changes(from_json(dict(left.topology)), described(topology))
    broken = [change for change in breaking(found) if not change.movable]  # tasks are found again by the topics that they read
    if broken:
        raise StateMismatchError(
            f"the flow cannot continue the state of application '{application_id}': "
            f"{'; '.join(change.text for change in broken)}; {way_out(broken)}"
        )
    for change in rebuilding(found):
        LOGGER.warning("application '%s': %s", application_id, change.text)
