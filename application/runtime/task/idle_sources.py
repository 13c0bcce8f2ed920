"""The sources upstream of a task, and how stream time follows the wall clock while they are idle.

A source is idle once no record of it has been processed for its idle timeout, measured by the wall-clock times that the engine
sets. While all sources upstream of an operator are idle, in all their partitions whose records can reach the task, the
operator's stream time goes on from the greatest event time of their records, as fast as the wall clock since the last of them
was processed. So the lag that event time had behind the wall clock stays the same, and a record with this lag is not late.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

from eddyline.application.operators.context import NO_TIME, Cell, Forward, OperatorContext
from eddyline.application.runtime.plan.upstream_sources import (
    Upstream,
    has_idle_timeouts,
    have_idle_timeouts,
    idle_timeout_ms,
    upstream_of,
)
from eddyline.application.topology import Topology
from eddyline.application.topology.nodes import Node, RepartitionSinkNode, SourceNode
from eddyline.application.topology.records import Headers
from eddyline.application.topology.timestamps import MAX_TIMESTAMP

Activity = Mapping[str, int]
"""By the names of sources: the greatest event time of the records that were processed, NO_TIME if that is not known."""


@dataclass(frozen=True, slots=True)
class _Source:
    """The cells of one source: event time since `take_activity`, greatest event time, and wall-clock time of the last record."""

    seen: Cell
    event_time: Cell
    active: Cell
    timeout_ms: int | None


class IdleSources:
    """The sources upstream of one task, by name; create it with `of`.

    Args:
        topology: The topology.
        nodes: The nodes of the task.
        upstream: What is upstream of each node.
        context: The task, for its cells.
    """

    def __init__(
        self, topology: Topology, nodes: Sequence[Node], upstream: Mapping[str, Upstream], context: OperatorContext
    ) -> None:
        self._upstream = upstream
        self._own = {node.name for node in nodes if isinstance(node, SourceNode)}
        names = sorted({name for node in nodes for name in upstream[node.name].sources})
        self._sources = {
            name: _Source(
                context.cell(f"source:{name}:seen"),
                context.cell(f"source:{name}:event-time"),
                context.cell(f"source:{name}:active"),
                idle_timeout_ms(topology, name),
            )
            for name in names
        }
        sinks = [node for node in nodes if isinstance(node, RepartitionSinkNode)]
        self._sinks = [(node.topic, upstream[node.name].sources) for node in sinks]
        self._activity: dict[str, int] = {}

    @classmethod
    def of(cls, topology: Topology, nodes: Sequence[Node], context: OperatorContext) -> Self | None:
        """Return the sources upstream of a task, None if none of them has an idle timeout."""
        if not has_idle_timeouts(topology):
            return None
        upstream = upstream_of(topology)
        return cls(topology, nodes, upstream, context) if have_idle_timeouts(topology, nodes, upstream) else None

    def tracked(self, source: str, process: Forward) -> Forward:
        """Return `process` for the records of a source, with their event times tracked."""
        if source not in self._sources:
            return process
        seen = self._sources[source].seen

        def process_tracked(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
            if timestamp > seen.value:
                seen.value = timestamp
            process(key, value, timestamp, headers)

        return process_tracked

    def saw(self, source: str, timestamp: int) -> None:
        """Note the event time of a record of a source."""
        if source in self._sources:
            seen = self._sources[source].seen
            seen.value = max(seen.value, timestamp)

    def wait(self) -> None:
        """Note that the task has left records to a later batch, so that none of its own sources is idle now."""
        for name in self._own & self._sources.keys():
            self._activity.setdefault(name, NO_TIME)

    def note(self, activity: Activity) -> None:
        """Note which sources were active in other tasks."""
        for name, event_time in activity.items():
            if name in self._sources:
                self._activity[name] = max(event_time, self._activity.get(name, NO_TIME))

    def take_activity(self, now_ms: int) -> Iterator[tuple[str, Activity]]:
        """Yield which sources were active since the last call, by the repartition topics downstream of them."""
        for name in self._own & self._sources.keys():
            seen = self._sources[name].seen
            if seen.value != NO_TIME:
                self._activity[name] = max(seen.value, self._activity.get(name, NO_TIME))
                seen.value = NO_TIME
        activity, self._activity = self._activity, {}
        for name, event_time in activity.items():
            source = self._sources[name]
            source.active.value = now_ms
            source.event_time.value = max(source.event_time.value, event_time)
        for topic, sources in self._sinks:
            sent = {name: activity[name] for name in sorted(activity) if name in sources}
            if sent:
                yield topic, sent

    def time_of(self, node: str, now_ms: int) -> int:
        """Return the stream time of a node while its sources are idle, NO_TIME if they are not."""
        found = self._upstream[node]
        return self._time_after(found.sources, found.delay_ms, now_ms)

    def time_of_task(self, now_ms: int) -> int:
        """Return the stream time of the task while all its sources are idle, NO_TIME if they are not."""
        delay_ms = max(self._upstream[name].delay_ms for name in self._own)
        return self._time_after(self._sources.keys(), delay_ms, now_ms)

    def _time_after(self, names: Collection[str], delay_ms: int, now_ms: int) -> int:
        sources = [self._sources[name] for name in names]
        if not all(_is_idle(source, now_ms) for source in sources):
            return NO_TIME
        event_time = max((source.event_time.value for source in sources), default=NO_TIME)
        if event_time == NO_TIME:
            return NO_TIME
        since = max(source.active.value for source in sources)
        return min(max(event_time + now_ms - since - delay_ms, NO_TIME), MAX_TIMESTAMP)


@dataclass(frozen=True, slots=True)
class FollowingOperator:
    """An operator with a stream time of its own; `emit` is called when it was advanced."""

    node: str
    stream_time: Cell
    emit: Callable[[], None] | None

    def due(self, sources: IdleSources, now_ms: int) -> Callable[[], None] | None:
        """Return what advances the operator, None if its stream time stays."""
        time = sources.time_of(self.node, now_ms)
        return partial(self._advance, time) if time > self.stream_time.value else None

    def _advance(self, time: int) -> None:
        self.stream_time.value = time
        if self.emit is not None:
            self.emit()


def _is_idle(source: _Source, now_ms: int) -> bool:
    return source.timeout_ms is not None and (source.active.value == NO_TIME or now_ms - source.active.value >= source.timeout_ms)
