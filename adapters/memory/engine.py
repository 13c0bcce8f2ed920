"""The memory engine: runs a topology at once, in this process, on a clock that the caller moves.

With one partition it is what Kafka's TopologyTestDriver is; with several, every sub-topology has as many tasks and
repartition topics move records between them.
"""

import gc
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeAlias

from eddyline.adapters.memory.state_stores import MemoryStateStores
from eddyline.application.operators.output import Dropped, Output
from eddyline.application.ports.codec import Codecs
from eddyline.application.ports.state_store import StateStores
from eddyline.application.runtime.options import Emit
from eddyline.application.runtime.partitioner import partition_for
from eddyline.application.runtime.partitions import task_counts, topic_partitions
from eddyline.application.runtime.store_rows import StoreRow, rows_of
from eddyline.application.runtime.task import Task
from eddyline.application.topology import Topology
from eddyline.application.topology.errors import listed
from eddyline.application.topology.nodes import SinkNode
from eddyline.application.topology.records import Headers

Place: TypeAlias = tuple[str, int, int]
"""A record's topic, partition and offset."""


class MemoryEngine:
    """Runs a topology record by record.

    `partitions` is the number of partitions of every source topic, or one for each topic. `emit` says whether each update of
    a table leaves at once, or only the latest of each key at `commit()`. `wall_clock_ms` is where the wall clock begins; it
    moves by `advance_wall_clock` alone. `codecs` turns keys that are neither text nor bytes into bytes, to find their
    partition; it is needed only where there are several.
    """

    def __init__(
        self,
        topology: Topology,
        *,
        partitions: int | Mapping[str, int] = 1,
        emit: Emit = "every-update",
        stores: StateStores | None = None,
        codecs: Codecs | None = None,
        wall_clock_ms: int = 0,
    ) -> None:
        self.topology = topology
        self.wall_clock_ms = wall_clock_ms
        external = {spec.name: partitions for spec in topology.source_topics} if isinstance(partitions, int) else dict(partitions)
        self._partitions = topic_partitions(topology, external)
        self._codecs = codecs
        self._tasks = [
            [
                Task(
                    topology,
                    sub.index,
                    number,
                    stores=stores or MemoryStateStores(),
                    emit=emit,
                    wall_clock_ms=wall_clock_ms,
                    keep_dropped=True,
                )
                for number in range(count)
            ]
            for sub, count in zip(topology.sub_topologies, task_counts(topology, self._partitions), strict=True)
        ]
        self._all_tasks = [task for tasks in self._tasks for task in tasks]
        self._readers: dict[str, list[list[Task]]] = {}
        for tasks in self._tasks:
            for topic in tasks[0].topics:
                self._readers.setdefault(topic, []).append(tasks)
        self._global_topics = {spec.name for spec in topology.source_topics if spec.global_}
        self._source_topics = {spec.name: spec for spec in topology.source_topics}
        self._moves = bool(topology.repartition_topics) or any(
            not isinstance(node.topic, str) or node.topic in self._readers
            for node in topology.nodes
            if isinstance(node, SinkNode)
        )
        self._turn: Counter[str] = Counter()
        self._offsets: Counter[tuple[str, int]] = Counter()
        self._moving: deque[Output] = deque()
        self._outputs: list[Output] = []
        self._drops: Counter[tuple[str, str]] = Counter()
        self._dropped: list[Dropped] = []
        self._dropped_moved: dict[Place, Output] = {}

    # --- in -----------------------------------------------------------------------------------------------------------

    def pipe(
        self,
        topic: str,
        key: Any,
        value: Any,
        timestamp: int,
        headers: Headers = (),
        *,
        partition: int | None = None,
        offset: int | None = None,
    ) -> None:
        """Takes one record to its end, repartition topics included.

        `timestamp` is in ms since the epoch; None as value is a tombstone. Without `partition` the key's hash decides, and
        records without a key take turns. `offset` is the record's in its log; without it records are counted.
        Raises LookupError for a topic that the topology does not read.
        """
        if topic not in self._source_topics:
            msg = f"the topology does not read topic '{topic}'; it reads: {listed(self._source_topics)}"
            raise LookupError(msg)
        if partition is None:
            partition = self._partition_of(topic, key, self._source_topics[topic].key_type)
        if offset is not None:
            self._offsets[topic, partition] = offset
        self._deliver(topic, partition, (key, value, timestamp, headers))
        self._settle()

    def pipe_all(self, records: Iterable[tuple[str, Any, Any, int]]) -> None:
        """Takes records of (topic, key, value, timestamp) one after the other, then commits.

        Python's search for garbage in cycles waits until the end: amid so many new objects it would take a third of the time.
        """
        with _garbage_waits():
            for topic, key, value, timestamp in records:
                self.pipe(topic, key, value, timestamp)
            self.commit()

    def advance_wall_clock(self, by_ms: int) -> None:
        """Moves the wall clock on and makes the calls that are due by it."""
        self.wall_clock_ms += by_ms
        for task in self._all_tasks:
            task.advance_wall_clock(self.wall_clock_ms)
            self._collect(task)
        self._settle()

    def commit(self) -> None:
        """Lets out what `emit="latest"` held back."""
        for task in self._all_tasks:
            task.commit()
            self._collect(task)
            self._settle()

    # --- out ----------------------------------------------------------------------------------------------------------

    def outputs(self, topic: str | None = None) -> list[Output]:
        """What was given to topics since the last `take_outputs`, in order; of one topic or of all."""
        return [record for record in self._outputs if topic is None or record.topic == topic]

    def take_outputs(self) -> list[Output]:
        """What was given to topics since the last call, in order."""
        taken, self._outputs = self._outputs, []
        return taken

    def store(self, name: str) -> list[StoreRow]:
        """The rows of a store over all tasks, sorted by key, window start and window end.

        Raises LookupError that names the stores when there is none of this name.
        """
        spec = self.topology.stores.get(name)
        if spec is None:
            msg = f"store '{name}' is unknown; this topology has: {listed(self.topology.stores)}"
            raise LookupError(msg)
        holders = [task for task in self._all_tasks if name in task.stores]
        if name not in {store for sub in self.topology.sub_topologies for store in sub.stores}:
            holders = holders[:1]
        return rows_of(spec, (entry for task in holders for entry in task.stores[name].snapshot()))

    @property
    def drops(self) -> Mapping[tuple[str, str], int]:
        """How many records were left out, by step and reason."""
        return self._drops

    @property
    def dropped(self) -> list[Dropped]:
        """The records that were left out, in order."""
        return self._dropped

    @property
    def dropped_moved(self) -> Mapping[Place, Output]:
        """Of the records that were left out those that came through a repartition topic, by their place in it."""
        return self._dropped_moved

    def forget_dropped(self) -> None:
        """Empties `dropped`."""
        self._dropped.clear()
        self._dropped_moved.clear()

    # --- between ------------------------------------------------------------------------------------------------------

    def _deliver(self, topic: str, partition: int, record: tuple[Any, Any, int, Headers], moved: Output | None = None) -> None:
        key, value, timestamp, headers = record
        dropped = len(self._dropped)
        offset = self._offsets[topic, partition]
        self._offsets[topic, partition] = offset + 1
        for tasks in self._readers[topic]:
            for task in tasks if topic in self._global_topics else (tasks[partition],):
                task.process(topic, key, value, timestamp, headers, partition=partition, offset=offset)
                self._collect(task)
        if moved is not None and len(self._dropped) > dropped:
            self._dropped_moved[topic, partition, offset] = moved

    def _collect(self, task: Task) -> None:
        given = task.take_output()
        if self._moves:
            for output in given:
                if not output.internal:
                    self._outputs.append(output)
                if output.topic in self._readers:
                    self._moving.append(output)
        else:
            self._outputs += given
        drops = task.take_drops()
        if drops:
            self._drops.update(drops)
            self._dropped.extend(task.take_dropped())

    def _settle(self) -> None:
        while self._moving:
            output = self._moving.popleft()
            partition = self._partition_of(output.topic, output.key, output.sink.key_type)
            self._deliver(output.topic, partition, output[1:5], output if output.internal else None)

    def _partition_of(self, topic: str, key: Any, key_type: object) -> int:
        count = self._partitions[topic]
        if count == 1 or topic in self._global_topics:
            return 0
        if key is None:
            self._turn[topic] += 1
            return (self._turn[topic] - 1) % count
        return partition_for(self._key_bytes(topic, key, key_type), count)

    def _key_bytes(self, topic: str, key: Any, key_type: object) -> bytes:
        if isinstance(key, str):
            return key.encode()
        if isinstance(key, bytes):
            return key
        if self._codecs is None:
            msg = (
                f"the keys of topic '{topic}' are of type {type(key).__name__}, and the engine needs codecs= "
                "to find the partition of keys that are neither text nor bytes"
            )
            raise TypeError(msg)
        return self._codecs.for_state(key_type).encode(key) or b""


@contextmanager
def _garbage_waits() -> Iterator[None]:
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()
