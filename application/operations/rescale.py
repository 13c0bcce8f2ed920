"""Changes the number of tasks of an exported state: entries move to the tasks that their keys belong to.

The tasks of a sub-topology that reads an input topic follow from the partitions of the topic, so only sub-topologies that read
repartition topics alone can be rescaled. Their stores must be keyed by the keys of the records: those of processors may not be.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from eddyline.application.operations.exported_state import ExportedState, ExportedTask, StoredEntry, combined_entries
from eddyline.application.ports.codec import Codecs
from eddyline.application.runtime.plan.encoding import KeyEncoder, repartition_keys
from eddyline.application.runtime.plan.partitioner import partition_for
from eddyline.application.runtime.plan.topic_types import codec_type, store_types
from eddyline.application.runtime.task.state import NUMBERS
from eddyline.application.topology import Topology
from eddyline.application.topology.nodes import (
    AggregateNode,
    Node,
    RepartitionSinkNode,
    StreamTableJoinNode,
    TableAggregateNode,
    TableFilterNode,
    TableMapValuesNode,
    TableSourceNode,
    TableTableJoinNode,
)
from eddyline.application.topology.stores import StoreKind, StoreSpec
from eddyline.application.topology.sub_topologies import SubTopology

_KEYED = (
    AggregateNode,
    StreamTableJoinNode,
    TableAggregateNode,
    TableFilterNode,
    TableMapValuesNode,
    TableSourceNode,
    TableTableJoinNode,
)
"""The nodes whose stores are keyed by the keys of the records that they receive."""


class RescaleError(ValueError):
    """A state cannot be rescaled; the message says why."""


class Rescaled(NamedTuple):
    """A state with another number of tasks; `kept` says of each sub-topology that keeps its tasks why it does."""

    state: ExportedState
    kept: tuple[str, ...]


def rescale(state: ExportedState, topology: Topology, codecs: Codecs, tasks: int) -> Rescaled:
    """Return a state with `tasks` tasks in each sub-topology that can be rescaled.

    The stream time of the new tasks is the greatest of the old ones: records that are late for one of them are late.

    Raises:
        RescaleError: no sub-topology can be rescaled, or records of the last batch still wait.
        ExportedStateError: the topology cannot continue the state.
    """
    state.changes_to(topology)
    if tasks < 1:
        raise RescaleError(f"a sub-topology cannot have {tasks} tasks; choose a number from 1 on")
    if any(task.waiting for task in state.tasks):
        raise RescaleError("records of the last batch wait for the next one; run the flow with --available-now first")
    partitions, rescaled = dict(state.partitions), list(state.tasks)
    kept: list[str] = []
    moved = False
    for sub in topology.sub_topologies:
        reason = _obstacle(topology, sub)
        if reason is not None:
            kept.append(reason)
            continue
        topics = sub.repartition_sources
        own = [task for task in rescaled if set(topics).intersection(task.topics)]
        rescaled = [task for task in rescaled if task not in own]
        rescaled += _redistributed(own, sub, tasks, _task_of(topology, sub, state.application_id, codecs, tasks))
        partitions.update(dict.fromkeys(topics, tasks))
        moved = True
    if not moved:
        raise RescaleError(f"no sub-topology can be rescaled: {'; '.join(kept)}")
    return Rescaled(replace(state, partitions=partitions, tasks=rescaled), tuple(kept))


def _obstacle(topology: Topology, sub: SubTopology) -> str | None:
    """Return why a sub-topology keeps its tasks, None if it can be rescaled."""
    if sub.source_topics:
        topics = ", ".join(f"'{topic}'" for topic in sub.source_topics)
        return f"what reads {topics} has as many tasks as this topic has partitions; add .repartition() to choose their number"
    sinks = [topology.repartition_topics[topic] for topic in sub.repartition_sources]
    for sink in sinks:
        if sink.partitioner is not None:
            return f"repartition topic '{sink.topic}' has a partitioner"
    if sub.global_nodes:
        return f"what reads repartition topic '{sinks[0].topic}' has a global table"
    for node in map(topology.by_name.__getitem__, sub.nodes):
        if set(node.stores).intersection(sub.stores) and not _is_keyed(node):
            return f"what reads repartition topic '{sinks[0].topic}' has operator '{node.name}', whose state belongs to its task"
    for store in sub.stores:
        if any(topology.stores[store].key_type != sink.key_type for sink in sinks):
            return f"store '{store}' has other keys than repartition topic '{sinks[0].topic}'"
    return None


def _is_keyed(node: Node) -> bool:
    if isinstance(node, AggregateNode) and node.emit_on_close is not None:
        return False
    if isinstance(node, StreamTableJoinNode) and node.buffer is not None:
        return False
    return isinstance(node, _KEYED)


def _task_of(
    topology: Topology, sub: SubTopology, application_id: str, codecs: Codecs, tasks: int
) -> Callable[[StoredEntry], int]:
    """Return a function that returns the new task of an entry: the partition of the records with its key."""
    sink = topology.repartition_topics[sub.repartition_sources[0]]
    stores = {name: _StoreKeys(topology.stores[name], sink, application_id, codecs) for name in sub.stores}
    return lambda entry: partition_for(stores[entry.store].record_key(entry.key), tasks)


class _StoreKeys:
    """Converts the keys of a store to the keys of the records that it is partitioned by."""

    def __init__(self, spec: StoreSpec, sink: RepartitionSinkNode, application_id: str, codecs: Codecs) -> None:
        self._decode = codecs.for_state(codec_type(store_types(spec)[0])).decode
        key_type = codec_type(sink.key_type)
        keys = repartition_keys(codecs, f"{application_id}-{sink.topic}", key_type)
        self._encode = KeyEncoder(keys.partitioned or keys.codec, key_type).encode
        self._is_plain = spec.kind is StoreKind.KEY_VALUE

    def record_key(self, key: bytes) -> bytes:
        found: Any = self._decode(key)
        return self._encode(found if self._is_plain else found[0]) or b""


def _redistributed(
    old: list[ExportedTask], sub: SubTopology, tasks: int, task_of: Callable[[StoredEntry], int]
) -> Iterator[ExportedTask]:
    """Yield the new tasks of a sub-topology; entries of stores that it no longer has are left out."""
    stores = frozenset(sub.stores)
    entries: Mapping[int, list[StoredEntry]] = {number: [] for number in range(tasks)}
    numbers = [entry for task in old for entry in task.entries if entry.store == NUMBERS]
    for task in old:
        for entry in task.entries:
            if entry.store in stores:
                entries[task_of(entry)].append(entry)
    for number, own in entries.items():
        yield ExportedTask(sub.repartition_sources, number, list(combined_entries([*own, *numbers])))
