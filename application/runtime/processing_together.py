"""Processes many records of a task at once, if what they do does not depend on the order record by record."""

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import chain
from typing import Final, NamedTuple, Self

from eddyline.application.operators.columns import RecordColumns
from eddyline.application.operators.table_join_columns import OneByOneError, TableUpdates
from eddyline.application.runtime.incoming_columns import Part, columns_by_topic
from eddyline.application.runtime.paths import Effect, Path, Paths, are_apart
from eddyline.application.runtime.record_queue import IncomingRecord
from eddyline.application.topology.nodes import Node, SourceNode, TableSourceNode
from eddyline.application.topology.timestamps import MAX_TIMESTAMP

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
