"""Stateless operators over many records at once, by column: in less time than record by record, since they run as loops in C."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, compress, repeat
from typing import Any, Final, NamedTuple, Self, TypeAlias

from eddyline.application.topology import nodes
from eddyline.application.topology.callables import are_true, check_done, check_several, check_values, pair_of
from eddyline.application.topology.immutable import is_immutable, own_copy, with_copied_result
from eddyline.application.topology.records import Headers

NO_ORIGIN: Final = -1
"""In place of the number of a record, if none is the origin."""


class RecordColumns(NamedTuple):
    """Records by column, in their order; timestamps are in ms since the epoch.

    `origins` has for each of them the number of the record that has caused it, among those that a task processes together; it is
    empty before they are numbered, and NO_ORIGIN for what a commit forwards.
    """

    keys: Sequence[Any]
    values: Sequence[Any]
    timestamps: Sequence[int]
    headers: Sequence[Headers]
    origins: Sequence[int] = ()

    @classmethod
    def of_one(cls, key: Any, value: Any, timestamp: int, headers: Headers) -> Self:
        """Return one record."""
        return cls((key,), (value,), (timestamp,), (headers,))

    def rows(self) -> Iterator[tuple[Any, Any, int, Headers]]:
        """Return the records one by one: key, value, timestamp, headers."""
        return zip(self.keys, self.values, self.timestamps, self.headers, strict=False)


Step: TypeAlias = Callable[[RecordColumns], RecordColumns]
"""Returns what an operator forwards of many records; it calls the functions of the user in the order of the records."""


def chosen_by(predicate: Callable[[Any, Any], Any], records: RecordColumns) -> list[Any]:
    """Return for each record whether it matches a predicate."""
    return are_true(list(map(predicate, records.keys, records.values)))


def only(records: RecordColumns, chosen: Sequence[Any]) -> RecordColumns:
    """Return the chosen records."""
    return RecordColumns(*(list(compress(column, chosen)) for column in records))


def filtered(node: nodes.FilterNode) -> Step:
    """Return the step of a filter, which leaves out what it does not forward."""
    predicate = node.predicate
    return lambda records: only(records, chosen_by(predicate, records))


def peeked(node: nodes.PeekNode) -> Step:
    """Return the step that calls an action for each record."""
    action = node.action

    def step(records: RecordColumns) -> RecordColumns:
        for done in map(action, records.keys, records.values):
            if done is not None:
                check_done(done)
        return records

    return step


def mapped(node: nodes.MapNode) -> Step:
    """Return the step that maps records."""
    mapper = mapper_of(node)
    if isinstance(node.mapper, nodes.KeyMapper):
        selector = node.mapper.selector
        return lambda records: records._replace(keys=_checked(map(selector, records.keys, records.values)))

    def step(records: RecordColumns) -> RecordColumns:
        found = map(mapper, records.keys, records.values)
        pairs = [pair if type(pair) is tuple and len(pair) == 2 else pair_of(pair) for pair in found]  # noqa: PLR2004 - a pair
        keys, values = zip(*pairs, strict=True) if pairs else ((), ())
        check_values(keys, "a mapper")
        check_values(values, "a mapper")
        return records._replace(keys=keys, values=values)

    return step


def mapped_values(node: nodes.MapValuesNode) -> Step:
    """Return the step that maps values."""
    mapper = mapper_of(node)
    if node.with_key:
        return lambda records: records._replace(values=_checked(map(mapper, records.keys, records.values)))
    return lambda records: records._replace(values=_checked(map(mapper, records.values)))


def flat_mapped(node: nodes.FlatMapNode) -> Step:
    """Return the step that maps each record to any number of records."""
    mapper = each_of(node)

    def step(records: RecordColumns) -> RecordColumns:
        keys: list[Any] = []
        values: list[Any] = []
        counts: list[int] = []
        for found in map(mapper, records.keys, records.values):
            before = len(keys)
            for key, value in map(pair_of, found):
                keys.append(key)
                values.append(value)
            counts.append(len(keys) - before)
        return RecordColumns(keys, values, *(_repeated(column, counts) for column in records[2:]))

    return step


def flat_mapped_values(node: nodes.FlatMapValuesNode) -> Step:
    """Return the step that maps each value to any number of values."""
    mapper, with_key = each_of(node), node.with_key

    def step(records: RecordColumns) -> RecordColumns:
        values: list[Any] = []
        counts: list[int] = []
        for found in map(mapper, records.keys, records.values) if with_key else map(mapper, records.values):
            before = len(values)
            values.extend(found)
            counts.append(len(values) - before)
        return RecordColumns(_repeated(records.keys, counts), values, *(_repeated(column, counts) for column in records[2:]))

    return step


def _checked(results: Iterable[Any]) -> list[Any]:
    """Return what a mapper returned, each a result."""
    found = list(results)
    check_values(found, "a mapper")
    return found


def mapper_of(node: nodes.MapNode | nodes.MapValuesNode | nodes.TableMapValuesNode) -> Callable[..., Any]:
    """Return the mapper of a node; what it may change later, or return again, is copied."""
    mapper: Callable[..., Any] = node.mapper
    return mapper if is_immutable(node.value_type) else with_copied_result(mapper)


def each_of(node: nodes.FlatMapNode | nodes.FlatMapValuesNode) -> Callable[..., Iterable[Any]]:
    """Return the mapper of a node, whose results are checked; what it may change before it yields the next one is copied."""
    mapper: Callable[..., Iterable[Any]] = node.mapper
    is_shared = is_immutable(node.value_type)

    def each(*arguments: Any) -> Iterable[Any]:
        found = mapper(*arguments)
        if type(found) is not list:
            check_several(found)
        return found if is_shared else map(own_copy, found)

    return each


def _repeated(column: Sequence[Any], counts: Sequence[int]) -> list[Any]:
    """Return each item of a column as often as its count says."""
    return list(chain.from_iterable(map(repeat, column, counts)))


_STEPS: Mapping[type[nodes.Node], Callable[[Any], Step]] = {
    nodes.FilterNode: filtered,
    nodes.MapNode: mapped,
    nodes.MapValuesNode: mapped_values,
    nodes.FlatMapNode: flat_mapped,
    nodes.FlatMapValuesNode: flat_mapped_values,
    nodes.PeekNode: peeked,
}


def step_of(node: nodes.Node) -> Step | None:
    """Return the step of a node, None if it has none."""
    make = _STEPS.get(type(node))
    return None if make is None else make(node)
