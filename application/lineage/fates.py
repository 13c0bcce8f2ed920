"""Answers what became of an input record, and why there is no result for it."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from eddyline.application.lineage.display import Display
from eddyline.application.lineage.explanation import Fate, ResultRecord, Step
from eddyline.application.lineage.limits import UnknownSubjectError
from eddyline.application.lineage.origins import found_in
from eddyline.application.lineage.replay import Replay
from eddyline.application.lineage.retention import bounded_range, lost_offsets, record_at
from eddyline.application.lineage.search import Source, attempt
from eddyline.application.lineage.times import span, utc
from eddyline.application.lineage.tracker import Event, Tracker
from eddyline.application.lineage.transit import Result
from eddyline.application.lineage.waiting import waiting_steps
from eddyline.application.operators.context import DropReason
from eddyline.application.ports.codec import CodecError
from eddyline.application.ports.event_log import EventLog, LogRecord, Position
from eddyline.application.runtime.input.decoding import TopicDecoders, UnreadableRecordError
from eddyline.application.runtime.input.offsets import beginning_offsets, end_offsets
from eddyline.application.runtime.plan.run_plan import RunPlan
from eddyline.application.topology.errors import listed
from eddyline.application.topology.nodes import (
    SessionAggregateNode,
    SinkNode,
    SlidingAggregateNode,
    SourceNode,
    WindowAggregateNode,
)

_REASONS = {
    DropReason.NULL_KEY: "its key is null",
    DropReason.NULL_VALUE: "its value is null",
    DropReason.NULL_JOIN_KEY: "the key to join by is null",
    DropReason.EXPIRED: "it is older than the history that the store keeps",
    DropReason.OUT_OF_ORDER: "a later version of its key has come before",
    DropReason.NO_WINDOW: "it is in no window",
    DropReason.INVALID_TIMESTAMP: "it has no valid timestamp",
    DropReason.NO_PARTITION: "the partitioner chose no partition",
    DropReason.PROCESSING_ERROR: "processing it has failed",
    DropReason.PRODUCTION_ERROR: "its result could not be written",
}


def fate_of(source: Source, position: Position) -> Fate:
    """Return what became of an input record.

    Args:
        source: What is replayed.
        position: The topic, partition and offset of the record.

    Raises:
        UnknownSubjectError: The flow does not read the topic, or the log does not have the record.
    """
    if source.topology.source_topic(position.topic) is None:
        topics = [spec.name for spec in source.topology.source_topics]
        raise UnknownSubjectError(f"the flow does not read topic '{position.topic}'; it reads: {listed(topics)}")
    plan = source.plan()
    record = record_at(source.ports.log, position)
    sinks = [node.name for node in plan.topology.nodes if isinstance(node, SinkNode)]
    display = Display(plan, sinks)
    shown = display.input(record)
    problem = _undecodable(plan, record)
    if problem is not None:
        nodes = [node.name for node in plan.topology.nodes if isinstance(node, SourceNode) and node.topic == position.topic]
        step = Step(
            "dropped", next(iter(nodes), position.topic), f"it could not be decoded, so it became a dead letter: {problem}"
        )
        return Fate(shown, (), 0, (step,), 0, ())
    return _Watch(source, plan, record, display).fate()


def _undecodable(plan: RunPlan, record: LogRecord) -> str | None:
    try:
        TopicDecoders(plan).of_source(record.topic)(record)
    except (CodecError, UnreadableRecordError) as error:
        return str(error)
    return None


class _Watch:
    """A replay that watches one record."""

    def __init__(self, source: Source, plan: RunPlan, record: LogRecord, display: Display) -> None:
        self._source, self._plan, self._record, self._display = source, plan, record, display
        self._results: list[Result] = []
        self._total = self._triggered = 0
        self._tracker = Tracker(source.effort.step, watched=Position(*record[:3]))

    def fate(self) -> Fate:
        """Replay the log and return what became of the record."""
        source, record = self._source, self._record
        log, topics = source.ports.log, self._plan.log_topics()
        begin, end = beginning_offsets(log, topics), end_offsets(log, topics)
        start, stop = bounded_range(log, begin, end, record.timestamp, source.limits.records)
        replay = Replay(source.topology, source.ports, source.options, self._tracker, on_result=self._on_result)
        problem = attempt(replay, next(iter(source.schedules())), start, stop)
        notes = list(lost_offsets(begin))
        if notes:
            notes.append("What they had left in the state is not known, so the record may have had other results.")
        if (start, stop) != (begin, end):
            notes.append(f"Only {self._tracker.taken:,} records were replayed, because of the limit on the log that is read.")
        if problem is not None:
            notes.append(f"The replay ended with an exception: {problem}.")
        if self._is_unread():
            notes.append("The flow had not read the record yet when it wrote its last checkpoint.")
        if self._triggered:
            count = f"{self._triggered:,} result{'' if self._triggered == 1 else 's'}"
            notes.append(f"The record caused {count} to be emitted that it is not part of.")
        steps = list(self._steps())
        if not self._total:
            steps += waiting_steps(self._plan.topology, replay.tasks)
        if not steps and not self._total:
            steps = self._last_step()
        shown = self._display.input(record)
        return Fate(shown, tuple(self._located(log)), self._total, tuple(steps), self._tracker.taken, tuple(notes))

    def _on_result(self, result: Result) -> None:
        if result.origins is None:
            return
        found = found_in(result.origins)
        if not found.inputs:
            self._triggered += 1
            return
        self._total += 1
        if len(self._results) < self._source.limits.results:
            self._results.append(result)

    def _is_unread(self) -> bool:
        known = self._source.known_batches()
        if not known:
            return False
        topic, partition, offset = self._record[:3]
        ends = known[-1].ends.get(topic, ())
        return partition < len(ends) and offset >= ends[partition]

    def _last_step(self) -> list[Step]:
        if not self._tracker.has_seen_watched:
            return [Step("not-processed", self._record.topic, "the replay did not come to this record")]
        text = "no operator forwarded it or stored anything for it"
        if any(not node.null_keys for node in self._plan.topology.repartition_topics.values()):
            text += "; a record whose new key is null, for example, is not repartitioned"
        return [Step("no-records", self._record.topic, text)]

    # --- results ------------------------------------------------------------------------------------------------------

    def _located(self, log: EventLog) -> Iterator[ResultRecord]:
        """Yield the results with the positions at which the log has them, as far as it does."""
        positions = _positions(log, self._results)
        for result in self._results:
            found = positions.get(result[:5], [])
            position = found.pop(0) if found else None
            partition, offset = (-1, -1) if position is None else position[1:]
            topic, key, value, timestamp, headers = result[:5]
            record = LogRecord(topic, partition, offset, timestamp, key, value, headers)
            shown = self._display.result(record)
            yield ResultRecord(shown.topic, position, shown.timestamp, shown.key, shown.value, shown.headers)

    # --- steps --------------------------------------------------------------------------------------------------------

    def _steps(self) -> Iterator[Step]:
        events = self._tracker.events or ()
        for (kind, node), group in groupby(events, key=lambda event: event[:2]):
            same = list(group)
            if kind == "dropped":
                yield from self._dropped(node, same)
            elif kind == "failed":
                yield Step("failed", node, f"{node} failed: {same[0].detail}")
            elif kind == "filtered":
                yield Step("filtered", node, f"{node} filtered it out")
            elif kind == "none":
                yield Step("no-records", node, f"{node} returned no records for it")
            elif kind == "stored":
                yield from self._stored(node, same)
        if not self._total:
            for event in events:
                if event.kind == "missing" and self._is_joined(event.node) and not self._has_stored(event):
                    yield Step("no-row", event.node, f"store {event.node} had no row with key {event.detail!r}")

    def _stored(self, store: str, events: Sequence[Event]) -> Iterator[Step]:
        changes = tuple(self._display.change(event.fields["change"]) for event in events)
        if not changes[0].internal:
            yield Step("stored", store, f"it changed store {store}", changes)
        elif any(change.after is not None for change in changes):
            yield Step("stored", store, f"it was put into buffer {store}", changes)

    def _dropped(self, node: str, events: Sequence[Event]) -> Iterator[Step]:
        for event in dict.fromkeys((event.detail, event.fields["timestamp"], event.fields["stream_time"]) for event in events):
            reason, timestamp, stream_time = event
            if reason == DropReason.LATE:
                yield from (Step("dropped", node, text) for text in self._late(node, timestamp, stream_time))
            else:
                yield Step("dropped", node, f"{node} dropped it because {_REASONS.get(reason, f'of the reason {reason}')}")

    def _late(self, node: str, timestamp: int, stream_time: int) -> Iterator[str]:
        """Yield for each closed window of a late record by how much it was late."""
        found = self._plan.topology.by_name.get(node)
        if isinstance(found, WindowAggregateNode):
            grace = found.windows.grace_ms
            for start, end in found.windows.windows_for(timestamp):
                if end <= stream_time - grace:
                    by = stream_time - grace - end
                    yield (
                        f"{node} dropped it as late by {by:,} ms for window {span(start, end)}, which closed at stream time "
                        f"{utc(end + grace)}; it was {utc(stream_time)}"
                    )
            return
        closes = timestamp
        if isinstance(found, SlidingAggregateNode):
            closes = timestamp + 1 + found.windows.difference_ms + found.windows.grace_ms
        elif isinstance(found, SessionAggregateNode):
            closes = timestamp + (found.windows.closes_after_ms or 0)
        by = max(0, stream_time - closes)
        late = f"{node} dropped it as late by {by:,} ms"
        yield f"{late}: its last window closed at {utc(closes)}; stream time was {utc(stream_time)}"

    def _is_joined(self, store: str) -> bool:
        """Return whether a node reads a store that another one writes."""
        users = [node for node in self._plan.topology.nodes if store in node.stores]
        return len(users) > 1

    def _has_stored(self, event: Event) -> bool:
        return any(other.kind == "stored" and other.node == event.node for other in self._tracker.events or ())


def _positions(log: EventLog, results: Sequence[Result]) -> dict[tuple[Any, ...], list[Position]]:
    """Return where the log has records with the content of these results."""
    wanted: dict[tuple[Any, ...], list[Position]] = {result[:5]: [] for result in results}
    existing = set(log.topics())
    for topic in {result.topic for result in results} & existing:
        for partition in range(log.partitions(topic)):
            for batch in log.read(topic, partition, *log.bounds(topic, partition)):
                for record in batch:
                    found = wanted.get((topic, record.key, record.value, record.timestamp, record.headers))
                    if found is not None:
                        found.append(Position(*record[:3]))
    return wanted
