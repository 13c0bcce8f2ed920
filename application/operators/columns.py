"""Stateless operators over many records at once, by column: in less time than record by record, since they run as loops in C."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, compress, repeat
from typing import Any, NamedTuple, TypeAlias

from eddyline.application.topology import nodes
from eddyline.application.topology.callables import is_true
from eddyline.application.topology.immutable import is_immutable, own_copy
from eddyline.application.topology.records import Headers


class RecordColumns(NamedTuple):
    """Records by column, in their order; timestamps are in ms since the epoch."""

    keys: Sequence[Any]
    values: Sequence[Any]
    timestamps: Sequence[int]
    headers: Sequence[Headers]


Step: TypeAlias = Callable[[RecordColumns], RecordColumns]
"""Returns what an operator forwards of many records; it calls the functions of the user in the order of the records."""


def filtered(node: nodes.FilterNode) -> Step | None:
    """Return the step of a filter; there is none if it counts what it drops."""
    predicate = node.predicate

    def step(records: RecordColumns) -> RecordColumns:
        return _chosen(records, _results(predicate, records))

    return step if node.drop_reason is None else None


class CountedFilter:
    """The step of a filter that counts what it drops, in `dropped`."""

    def __init__(self, node: nodes.FilterNode) -> None:
        self.name, self.reason, self.dropped = node.name, node.drop_reason or "", 0
        self._predicate = node.predicate

    def __call__(self, records: RecordColumns) -> RecordColumns:
        """Return the records that match the predicate."""
        chosen = _results(self._predicate, records)
        if all(chosen):
            return records
        kept = _chosen(records, chosen)
        self.dropped += len(chosen) - len(kept.keys)
        return kept


def _results(predicate: Callable[[Any, Any], Any], records: RecordColumns) -> list[Any]:
    results = list(map(predicate, records.keys, records.values))
    if results:
        is_true(results[0])
    return results


def _chosen(records: RecordColumns, chosen: Sequence[bool]) -> RecordColumns:
    return RecordColumns(*(list(compress(column, chosen)) for column in records))


def mapped(node: nodes.MapNode) -> Step:
    """Return the step that maps records."""
    mapper = node.mapper
    if isinstance(mapper, nodes.KeyMapper):
        selector = mapper.selector
        return lambda records: records._replace(keys=list(map(selector, records.keys, records.values)))

    def step(records: RecordColumns) -> RecordColumns:
        pairs = [(key, value) for key, value in map(mapper, records.keys, records.values)]
        keys, values = zip(*pairs, strict=True) if pairs else ((), ())
        return records._replace(keys=keys, values=values)

    return step


def mapped_values(node: nodes.MapValuesNode) -> Step:
    """Return the step that maps values."""
    mapper = node.mapper
    if node.with_key:
        return lambda records: records._replace(values=list(map(mapper, records.keys, records.values)))
    return lambda records: records._replace(values=list(map(mapper, records.values)))


def flat_mapped(node: nodes.FlatMapNode) -> Step:
    """Return the step that maps each record to any number of records."""
    mapper = _mapper_of(node)

    def step(records: RecordColumns) -> RecordColumns:
        keys: list[Any] = []
        values: list[Any] = []
        counts: list[int] = []
        for found in map(mapper, records.keys, records.values):
            before = len(keys)
            for key, value in found:
                keys.append(key)
                values.append(value)
            counts.append(len(keys) - before)
        return RecordColumns(keys, values, _repeated(records.timestamps, counts), _repeated(records.headers, counts))

    return step


def flat_mapped_values(node: nodes.FlatMapValuesNode) -> Step:
    """Return the step that maps each value to any number of values."""
    mapper, with_key = _mapper_of(node), node.with_key

    def step(records: RecordColumns) -> RecordColumns:
        values: list[Any] = []
        counts: list[int] = []
        for found in map(mapper, records.keys, records.values) if with_key else map(mapper, records.values):
            before = len(values)
            values.extend(found)
            counts.append(len(values) - before)
        keys, _, timestamps, headers = records
        return RecordColumns(_repeated(keys, counts), values, _repeated(timestamps, counts), _repeated(headers, counts))

    return step


def _mapper_of(node: nodes.FlatMapNode | nodes.FlatMapValuesNode) -> Callable[..., Iterable[Any]]:
    """Return the mapper of a node; what it may change before it yields the next result is copied."""
    mapper: Callable[..., Iterable[Any]] = node.mapper
    return mapper if is_immutable(node.value_type) else lambda *arguments: map(own_copy, mapper(*arguments))


def _repeated(column: Sequence[Any], counts: Sequence[int]) -> list[Any]:
    """Return each item of a column as often as its count says."""
    return list(chain.from_iterable(map(repeat, column, counts)))


_STEPS: Mapping[type[nodes.Node], Callable[[Any], Step | None]] = {
    nodes.FilterNode: filtered,
    nodes.MapNode: mapped,
    nodes.MapValuesNode: mapped_values,
    nodes.FlatMapNode: flat_mapped,
    nodes.FlatMapValuesNode: flat_mapped_values,
}


def counting_step_of(node: nodes.Node) -> Step | None:
    """Return the step of a node, None if it has none; the caller has to take what a CountedFilter has counted."""
    return CountedFilter(node) if isinstance(node, nodes.FilterNode) and node.drop_reason is not None else step_of(node)


def step_of(node: nodes.Node) -> Step | None:
    """Return the step of a node, None if it has none."""
    make = _STEPS.get(type(node))
    return None if make is None else make(node)
