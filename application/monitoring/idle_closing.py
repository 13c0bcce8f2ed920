"""When idle timeouts close windows, if no record comes."""

from collections.abc import Callable, Sequence

from eddyline.application.monitoring.source_status import SourceStatus
from eddyline.application.ports.read_model import StateProgress
from eddyline.application.runtime.plan.upstream_sources import upstream_of
from eddyline.application.topology import Topology
from eddyline.application.topology.by_topic import ByTopic
from eddyline.application.topology.nodes import SourceNode


class IdleClosing:
    """The idle timeouts of a topology, and what they do to the stores of its tasks."""

    def __init__(self, topology: Topology) -> None:
        self._topology, self._upstream = topology, upstream_of(topology)
        sources = [node for node in topology.nodes if isinstance(node, SourceNode)]
        self._sources = ByTopic({node.topic: node for node in sources}, topology.nodes)

    def timeout_ms(self, topic: str) -> int | None:
        """Return the idle timeout of a source topic, None for event time only."""
        return self._sources[topic].idle_timeout_ms

    def of_task(self, store: str, progress: StateProgress | None, sources: Sequence[SourceStatus]) -> Callable[[int], int | None]:
        """Return a function that returns, for a stream time, the wall-clock time at which it is reached if no record comes.

        It returns None if a source of the store's operator has records to process, or has no idle timeout.

        Args:
            store: The name of the store.
            progress: The progress of the task.
            sources: The source partitions of the task.
        """
        node = next(node for node in self._topology.nodes if store in node.stores)
        names, delay_ms, _ = self._upstream[node.name]
        own = [source for source in sources if self._sources[source.topic].name in names]
        if progress is None or progress.stream_time_ms is None or not all(map(_can_be_idle, own)) or not own:
            return lambda _time: None
        stream_time, wall_clock, delay_ms = progress.stream_time_ms, progress.time_ms, delay_ms - self._delay_of_task(node.name)
        active = max(source.idle_since or 0 for source in own)
        idle_from = max((source.idle_since or 0) + (source.idle_timeout_ms or 0) for source in own)
        follows_since = wall_clock if wall_clock >= idle_from else active
        return lambda time: max(idle_from, follows_since + time + delay_ms - stream_time)

    def _delay_of_task(self, node: str) -> int:
        """Return by how much the stream time of the task of a node stays behind that of sources upstream."""
        sub = next(sub for sub in self._topology.sub_topologies if node in sub.nodes)
        names = [name for name in sub.nodes if isinstance(self._topology.by_name[name], SourceNode)]
        return max((self._upstream[name].delay_ms for name in names), default=0)


def _can_be_idle(source: SourceStatus) -> bool:
    return not source.lag and source.idle_timeout_ms is not None and source.idle_since is not None
