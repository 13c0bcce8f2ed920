"""Operators over many updates of a table at once, by column: the stateless ones, up to where the table becomes a stream."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import compress
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeAlias

from eddyline.application.operators.columns import NO_ORIGIN, RecordColumns, mapper_of
from eddyline.application.topology import nodes
from eddyline.application.topology.callables import check_values, is_true

if TYPE_CHECKING:
    from eddyline.application.topology.records import Headers


class UpdateColumns(NamedTuple):
    """Updates of a table by column, in their order: new and old values, timestamps in ms since the epoch, headers.

    `origins` has the number of the record that has caused each of them, NO_ORIGIN for what a commit forwards.
    """

    keys: Sequence[Any]
    new: Sequence[Any]
    old: Sequence[Any]
    timestamps: Sequence[int]
    headers: Sequence[Headers]
    origins: Sequence[int]

    @classmethod
    def of_commit(
        cls, keys: Sequence[Any], new: Sequence[Any], old: Sequence[Any], timestamps: Sequence[int], headers: Sequence[Headers]
    ) -> Self:
        """Return updates that a commit forwards."""
        return cls(keys, new, old, timestamps, headers, [NO_ORIGIN] * len(keys))

    def as_records(self) -> RecordColumns:
        """Return what a table forwards as a stream: the new values."""
        return RecordColumns(self.keys, self.new, self.timestamps, self.headers, self.origins)

    def only(self, chosen: Sequence[bool]) -> UpdateColumns:
        """Return the chosen updates."""
        return UpdateColumns(*(list(compress(column, chosen)) for column in self))

    def each(self) -> Iterator[tuple[Any, Any, Any, int, Headers]]:
        """Return the updates one by one."""
        return zip(*self[:5], strict=True)


UpdateStep: TypeAlias = Callable[[UpdateColumns], UpdateColumns]
"""Returns what an operator forwards of many updates."""


def _filtered(node: nodes.TableFilterNode) -> UpdateStep:
    """Return the step of a filter, as `filter_table` does it for one update."""
    predicate, every_deletion = node.predicate, node.versioned or not node.old_values

    def matching(keys: Sequence[Any], values: Sequence[Any]) -> list[Any]:
        rows = zip(keys, values, strict=True)
        return [value if value is not None and is_true(predicate(key, value)) else None for key, value in rows]

    def step(updates: UpdateColumns) -> UpdateColumns:
        found = updates._replace(new=matching(updates.keys, updates.new), old=matching(updates.keys, updates.old))
        if every_deletion:
            return found
        return found.only([one is not None or other is not None for one, other in zip(found.new, found.old, strict=True)])

    return step


def _mapped_values(node: nodes.TableMapValuesNode) -> UpdateStep:
    """Return the step that maps values, as `map_table_values` does it for one update."""
    mapper, with_key = mapper_of(node), node.with_key

    def mapped(keys: Sequence[Any], values: Sequence[Any]) -> list[Any]:
        if with_key:
            found = [None if value is None else mapper(key, value) for key, value in zip(keys, values, strict=True)]
        else:
            found = [None if value is None else mapper(value) for value in values]
        check_values(found, "a mapper")
        return found

    return lambda updates: updates._replace(new=mapped(updates.keys, updates.new), old=mapped(updates.keys, updates.old))


_STEPS: Mapping[type[nodes.Node], Callable[[Any], UpdateStep]] = {
    nodes.TableFilterNode: _filtered,
    nodes.TableMapValuesNode: _mapped_values,
}


def update_step_of(node: nodes.Node) -> UpdateStep | None:
    """Return the step of a node, None if it has none, or keeps its rows in a store."""
    make = _STEPS.get(type(node))
    return None if make is None or node.stores else make(node)
