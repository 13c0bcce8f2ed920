"""How many records, or many updates of a table, go through the nodes of a task at once, by column.

A path first calls the functions of stateless operators and of joins, which change nothing, and collects what is to be done then:
records for a topic, or for an operator with state. So records whose functions raise an exception can be processed one by one.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations
from typing import Any, Final, NamedTuple, Self, TypeAlias

from eddyline.application.operators.columns import RecordColumns, chosen_by, only, step_of
from eddyline.application.operators.context import OperatorContext, ProcessMany
from eddyline.application.operators.table_join_columns import OneByOneError, TableUpdates, join_step
from eddyline.application.operators.update_columns import UpdateColumns, update_step_of
from eddyline.application.runtime.input.incoming_columns import Part, columns_by_topic
from eddyline.application.runtime.input.record_queue import IncomingRecord
from eddyline.application.topology import nodes
from eddyline.application.topology.immutable import is_immutable, own_copy
from eddyline.application.topology.nodes import Node, SourceNode, TableSourceNode
from eddyline.application.topology.timestamps import MAX_TIMESTAMP

Effect: TypeAlias = tuple[Callable[[RecordColumns], None], RecordColumns]
"""What is done with records when all functions were called."""

Through: TypeAlias = Callable[[Any, list[Effect]], None]
"""Takes the columns of a node's input, and appends what is to be done."""

_ANY_TOPIC: Final = "*"


class Target(NamedTuple):
    """An operator with state, or a sink, and what it and those downstream of it may change: topics and stores."""

    node: str
    writes: frozenset[str]


class Path(NamedTuple):
    """What follows a node.

    Attributes:
        through: Takes many records or updates.
        targets: The operators with state, and sinks, that are reached.
        reads: The stores that joins read.
    """

    through: Through
    targets: tuple[Target, ...] = ()
    reads: frozenset[str] = frozenset()

    def take(self, columns: RecordColumns | UpdateColumns) -> None:
        """Take many records or updates, and do what is to be done then."""
        effects: list[Effect] = []
        self.through(columns, effects)
        apply(effects)


@dataclass(slots=True)
class Paths:
    """The paths of a task; nodes are added children first, each when its operator is linked.

    Args:
        context: The task as operators see it.
        append: Appends the records of a sink to the output.
        noting: Returns a function that notes which of many records is being processed.
        processed: Receives the number of records that each node processes, None to count nothing.

    Attributes:
        updates: The updates of tables by store that are processed together with the records that are joined with them.
    """

    context: OperatorContext
    append: Callable[[nodes.SinkNode | nodes.RepartitionSinkNode, RecordColumns], None]
    noting: Callable[[ProcessMany], ProcessMany]
    processed: Counter[str] | None = None
    updates: Mapping[str, TableUpdates] = field(default_factory=dict)
    _after: dict[str, Path | None] = field(default_factory=dict)
    _paths: dict[str, Path | None] = field(default_factory=dict)
    _writes: dict[str, frozenset[str]] = field(default_factory=dict)
    _ends: dict[str, Callable[[RecordColumns], None]] = field(default_factory=dict)
    _reasons: dict[str, str] = field(default_factory=dict)

    def end(self, node: str, process_all: ProcessMany) -> None:
        """Register what processes many records of a node with state."""
        self._ends[node] = self.noting(process_all)

    def reason(self, node: str) -> str | None:
        """Return why a node takes records or updates one by one, and what would change it; None if it takes many at once."""
        return self._reasons.get(node)

    def after(self, node: str) -> Path | None:
        """Return what follows a node whose children were added; None if they take records or updates one by one only."""
        return self._after.get(node)

    def follow(self, node: Node, children: Sequence[Node]) -> None:
        """Note the children of a node, which were added, before its operator is linked."""
        below = frozenset[str]().union(*(self._writes[child.name] for child in children))
        self._writes[node.name] = below.union((f"store {name}" for name in node.stores), _topics(node))
        self._after[node.name] = None if isinstance(node, nodes.SplitNode) else self._fan_out(node, children)
        if isinstance(node, nodes.SourceNode) and self._after[node.name] is None:
            self._reasons[node.name] = self._why(node, children)

    def add(self, node: Node, children: Sequence[Node]) -> None:
        """Add a node whose operator was linked."""
        path = self._path(node, children)
        if path is not None and self.processed is not None:
            path = path._replace(through=self._counted(node.name, path.through, self.processed))
        self._paths[node.name] = path
        if path is None:
            self._reasons[node.name] = self._why(node, children)

    def _why(self, node: Node, children: Sequence[Node]) -> str:
        """Return why a node has no path."""
        shared = next((store for store in node.stores if self.context.is_shared(store)), None)
        below = next((child.name for child in children if self._paths[child.name] is None), None)
        if isinstance(node, nodes.SinkNode | nodes.RepartitionSinkNode):
            partitioned = "a partitioner is called for each record; leave the partition to the key"
            chosen = "a function chooses the topic of each record; split the stream, with a sink for each topic"
            found = chosen if node.partitioner is None else partitioned
        elif isinstance(node, nodes.ProcessorNode):
            found = "a processor is called for each record; use operators of the DSL where they can do it"
        elif isinstance(node, nodes.StreamTableJoinNode) and self._after[node.name] is not None:
            found = "the rows of its table are in no store of their own, or have versions; give the table a store"
        elif shared is not None and not isinstance(node, nodes.StreamTableJoinNode):
            found = f"another operator reads store '{shared}' between two records"
        elif below is not None:
            found = f"'{below}' takes what it forwards one by one"
        elif children and self._after[node.name] is None:
            found = self._meeting([target for child in children for target in self._targets(child)])
        else:
            found = "what it keeps changes with each record"
        return found

    def _targets(self, node: Node) -> tuple[Target, ...]:
        path = self._paths[node.name]
        return () if path is None else path.targets

    def _meeting(self, targets: Sequence[Target]) -> str:
        pairs = ((one.node, other.node) for one, other in combinations(targets, 2) if not are_apart((one, other)))
        one, other = next(pairs, ("", ""))
        if one == other:
            return "its records meet again downstream, record by record"
        return f"'{one}' and '{other}' write to the same topic or store, record by record"

    def _path(self, node: Node, children: Sequence[Node]) -> Path | None:
        if node.name in self._ends:
            return _ending(self._ends[node.name], self._target(node))
        if isinstance(node, nodes.SinkNode | nodes.RepartitionSinkNode):
            return self._to_topic(node)
        if isinstance(node, nodes.SplitNode):
            return self._split(node, {child.index: child for child in children if isinstance(child, nodes.BranchNode)})
        after = self._after[node.name]
        return None if after is None else self._through(node, after)

    def _through(self, node: Node, after: Path) -> Path | None:
        """Return the path of a node that changes nothing itself."""
        if isinstance(node, nodes.MergeNode | nodes.BranchNode):
            return after
        if isinstance(node, nodes.StreamTableJoinNode):
            return self._joined(node, after)
        if isinstance(node, nodes.FilterNode) and node.drop_reason is not None:
            return after._replace(through=self._dropping(node, node.drop_reason, after.through))
        if isinstance(node, nodes.TableToStreamNode):
            return after._replace(through=_after_step(UpdateColumns.as_records, after.through))
        step: Callable[[Any], Any] | None = step_of(node) or update_step_of(node)
        return None if step is None else after._replace(through=_after_step(step, after.through))

    def _fan_out(self, node: Node, children: Sequence[Node]) -> Path | None:
        found = [self._paths[child.name] for child in children]
        if any(len(child.parents) > 1 and not isinstance(child, nodes.MergeNode) for child in children):
            return None
        paths = [path for path in found if path is not None]
        if len(paths) < len(children):
            return None
        return all_of(paths, copied=not is_immutable(node.value_type))

    def _to_topic(self, node: nodes.SinkNode | nodes.RepartitionSinkNode) -> Path | None:
        if not isinstance(node.topic, str) or node.partitioner is not None:
            return None
        append, needs_key = self.append, isinstance(node, nodes.RepartitionSinkNode) and not node.null_keys

        def append_all(records: RecordColumns) -> None:
            append(node, records)

        def through(records: RecordColumns, effects: list[Effect]) -> None:
            if needs_key and None in records.keys:
                records = only(records, [key is not None for key in records.keys])
            if records.keys:
                effects.append((append_all, records))

        return Path(through, (self._target(node),))

    def _target(self, node: Node) -> Target:
        return Target(node.name, self._writes[node.name])

    def _split(self, node: nodes.SplitNode, branches: Mapping[int, Node]) -> Path | None:
        found = [self._paths[branches[index].name] for index in range(len(node.predicates))]
        paths = [path for path in found if path is not None]
        together = all_of(paths, copied=False) if len(paths) == len(found) else None
        if together is None:
            return None
        choices = [(predicate, path.through) for predicate, path in zip(node.predicates, paths, strict=True)]

        def through(records: RecordColumns, effects: list[Effect]) -> None:
            for predicate, branch in choices:
                if not records.keys:
                    return
                if predicate is None:
                    branch(records, effects)
                    return
                chosen = chosen_by(predicate, records)
                branch(only(records, chosen), effects)
                records = only(records, [not found for found in chosen])

        return together._replace(through=through)

    def _joined(self, node: nodes.StreamTableJoinNode, after: Path) -> Path | None:
        step, following = join_step(node, self.context), after.through
        if step is None:
            return None

        def through(records: RecordColumns, effects: list[Effect]) -> None:
            following(step(records, self.updates), effects)

        table = node.table
        read = (table.store,) if isinstance(table, nodes.StoredValueGetter) else ()
        return Path(through, after.targets, after.reads.union(read))

    def _dropping(self, node: nodes.FilterNode, reason: str, following: Through) -> Through:
        predicate, drop, name = node.predicate, self.context.drop, node.name

        def drop_each(records: RecordColumns) -> None:
            for key, value, timestamp, headers in records.rows():
                drop(name, reason, key, value, timestamp, headers)

        drop_all = self.noting(drop_each)

        def through(records: RecordColumns, effects: list[Effect]) -> None:
            chosen = chosen_by(predicate, records)
            if not all(chosen):
                effects.append((drop_all, only(records, [not found for found in chosen])))
                records = only(records, chosen)
            following(records, effects)

        return through

    def _counted(self, node: str, through: Through, processed: Counter[str]) -> Through:
        undo = self.context.undo

        def note(size: int) -> None:
            processed[node] += size
            if undo is not None:
                undo.append(lambda: processed.subtract({node: size}))

        def count(records: Any, effects: list[Effect]) -> None:
            size = len(records.keys)
            effects.append((lambda _records: note(size), _NO_RECORDS))
            through(records, effects)

        return count


_NO_RECORDS = RecordColumns((), (), (), ())


def all_of(paths: Sequence[Path], *, copied: bool) -> Path | None:
    """Return a path that takes all of these in their order; None if what they do depends on the order record by record.

    If `copied`, all but the last one get copies of the values.
    """
    if len(paths) == 1:
        return paths[0]
    targets = tuple(target for path in paths for target in path.targets)
    if not are_apart(targets):
        return None
    throughs = [path.through for path in paths]

    def through(records: Any, effects: list[Effect]) -> None:
        for number, one in enumerate(throughs, 1):
            one(_copied(records) if copied and number < len(throughs) else records, effects)

    reads = frozenset[str]().union(*(path.reads for path in paths))
    return Path(through, targets, reads)


def are_apart(targets: Iterable[Target]) -> bool:
    """Return whether nothing is changed by two of several operators and sinks."""
    return not any(
        one & other or (_ANY_TOPIC in one and _has_topic(other)) or (_ANY_TOPIC in other and _has_topic(one))
        for (_, one), (_, other) in combinations(targets, 2)
    )


def apply(effects: Iterable[Effect]) -> None:
    """Do what is to be done."""
    for effect, records in effects:
        effect(records)


def _has_topic(writes: frozenset[str]) -> bool:
    return any(not written.startswith("store ") for written in writes)


def _topics(node: Node) -> tuple[str, ...]:
    if not isinstance(node, nodes.SinkNode | nodes.RepartitionSinkNode):
        return ()
    return (f"topic {node.topic}" if isinstance(node.topic, str) else _ANY_TOPIC,)


def _ending(process_all: Callable[[RecordColumns], None], target: Target) -> Path:
    def through(records: RecordColumns, effects: list[Effect]) -> None:
        if records.keys:
            effects.append((process_all, records))

    return Path(through, (target,))


def _after_step(step: Callable[[Any], Any], following: Through) -> Through:
    def through(records: Any, effects: list[Effect]) -> None:
        following(step(records), effects)

    return through


def _copied(records: Any) -> Any:
    if isinstance(records, UpdateColumns):
        return records._replace(new=list(map(own_copy, records.new)), old=list(map(own_copy, records.old)))
    return records._replace(values=list(map(own_copy, records.values)))


_FEW: Final = 4
"""This many records are joined one by one, in less time."""


class Work(NamedTuple):
    """What is to be done with records, and the greatest of their event times by topic, in ms since the epoch."""

    effects: Sequence[Effect]
    newest: Mapping[str, int]


class Together:
    """The paths from the sources of a task; create it with `of`.

    Args:
        paths: What follows the sources, by topic.
        tables: The topics of tables that only joins read, with their stores.
        joined: Where joins look for the updates of these tables that are processed together with them.
        one_topic: Whether only records of one topic can be processed at once.
        any_topic: Whether the only path is that of all topics.
    """

    def __init__(
        self, paths: Mapping[str, Path], tables: Mapping[str, str], joined: Paths, *, one_topic: bool, any_topic: bool
    ) -> None:
        self._paths, self._tables, self._joined, self._one_topic = paths, tables, joined, one_topic
        self._of_all = next(iter(paths.values())) if any_topic else None
        self._has_joins = any(path.reads for path in paths.values())

    @classmethod
    def of(cls, nodes: Sequence[Node], children: Mapping[str, Sequence[Node]], paths: Paths) -> Self | None:
        """Return the paths of a task, None if all its records must be processed one by one."""
        sources = [node for node in nodes if isinstance(node, SourceNode)]
        several = len(sources) > 1
        found: dict[str, Path] = {}
        tables: dict[str, str] = {}
        for source in sources:
            path = paths.after(source.name)
            if (
                path is None
                or source.global_
                or source.timestamp_extractor is not None
                or (source.pattern is not None and several)
            ):
                continue
            found[source.topic] = path
            below = children[source.name]
            if len(below) == 1 and isinstance(below[0], TableSourceNode):
                tables[source.topic] = below[0].store
        stored = {f"store {store}" for store in tables.values()}
        targets = {target for path in found.values() for target in path.targets}
        others = frozenset[str]().union(*(target.writes for target in targets)) - stored
        found = {topic: path for topic, path in found.items() if others.isdisjoint(f"store {store}" for store in path.reads)}
        if not found:
            return None
        return cls(
            found, tables, paths, one_topic=not are_apart(targets), any_topic=not several and sources[0].pattern is not None
        )

    @property
    def topics(self) -> Collection[str]:
        """The topics of the sources that have a path."""
        return self._paths.keys()

    def work_of(self, records: Sequence[IncomingRecord]) -> Work:
        """Call the functions of stateless operators and of joins for at least one record; return what is to be done then.

        What the functions raise is the exception of a record.

        Raises:
            OneByOneError: The records must be processed one by one: they are of topics without a path, or a timestamp is invalid.
        """
        if self._has_joins and len(records) < _FEW:
            raise OneByOneError
        parts = columns_by_topic(records)
        paths = list(map(self._path_of, parts))
        if None in paths or (len(parts) > 1 and self._one_topic):
            raise OneByOneError
        newest = {topic: max(part.records.timestamps) for topic, part in parts.items()}
        if max(newest.values()) > MAX_TIMESTAMP or min(min(part.records.timestamps) for part in parts.values()) < 0:
            raise OneByOneError
        self._joined.updates = {self._tables[topic]: _updates(part) for topic, part in parts.items() if topic in self._tables}
        found: list[list[Effect]] = [[] for _ in parts]
        for path, part, effects in zip(paths, parts.values(), found, strict=True):
            path.through(part.records._replace(origins=part.positions), effects)  # type: ignore[union-attr] # it is no None
        return Work(found[0] if len(found) == 1 else _merged(found), newest)

    def _path_of(self, topic: str) -> Path | None:
        return self._paths.get(topic, self._of_all)


def _updates(part: Part) -> TableUpdates:
    keys, values, timestamps, *_ = part.records
    return TableUpdates(keys, values, timestamps, part.positions)


def _merged(found: Sequence[Sequence[Effect]]) -> Sequence[Effect]:
    """Return what is to be done with records of several topics: for each operator and sink in the order of the records."""
    by_effect: dict[Callable[[RecordColumns], None], list[RecordColumns]] = {}
    for effect, records in chain.from_iterable(found):
        by_effect.setdefault(effect, []).append(records)
    return [(effect, parts[0] if len(parts) == 1 else _in_order(parts)) for effect, parts in by_effect.items()]


def _in_order(parts: Sequence[RecordColumns]) -> RecordColumns:
    columns = RecordColumns(*(list(chain.from_iterable(column)) for column in zip(*parts, strict=True)))
    origins = columns.origins
    order = sorted(range(len(origins)), key=origins.__getitem__)
    return RecordColumns(*(list(map(column.__getitem__, order)) for column in columns))
