"""Joins many records of a stream with the rows of tables at once, although some of these rows change in between."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from itertools import compress
from types import NoneType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from eddyline.application.operators.columns import RecordColumns, only
from eddyline.application.operators.value_getters import getter_of
from eddyline.application.topology.callables import check_values
from eddyline.application.topology.immutable import is_immutable, own_copy, with_copied_result
from eddyline.application.topology.nodes import StoredValueGetter
from eddyline.application.topology.stores import StoreKind

if TYPE_CHECKING:
    from eddyline.application.operators.context import OperatorContext
    from eddyline.application.operators.value_getters import Getter, Row
    from eddyline.application.topology.nodes import StreamTableJoinNode

_EXACT = (str, bytes, int)
"""The types of which equal keys have the same bytes in any store, if they are all of one type."""


class OneByOneError(Exception):
    """Records must be joined one by one."""


class TableUpdates(NamedTuple):
    """Updates of a table that are not in its store yet, by column, with their positions among the records of all topics."""

    keys: Sequence[Any]
    values: Sequence[Any]
    timestamps: Sequence[int]
    positions: Sequence[int]

    def rows_at(self, keys: Sequence[Any], numbers: Sequence[int], get: Getter) -> list[Row | None]:
        """Return the rows of keys, each as of the record with its number; `get` returns those before all updates.

        Raises:
            OneByOneError: Some keys are not texts, bytes or integers, or are of different types.
        """
        types = {*map(type, keys), *map(type, self.keys)}
        if len(types) > 1 or not types.issubset(_EXACT):
            raise OneByOneError
        rows = list(map(get, keys))
        updated: dict[Any, list[tuple[int, Row | None]]] = {key: [] for key in set(self.keys).intersection(keys)}
        if updated:
            for key, value, timestamp, position in zip(*self, strict=True):
                if key in updated:
                    updated[key].append((position, None if value is None else (value, timestamp)))
            for index, key in enumerate(keys):
                if key in updated:
                    count = bisect_right(updated[key], numbers[index], key=_position)
                    if count:
                        rows[index] = own_copy(updated[key][count - 1][1])
        return rows


JoinStep: TypeAlias = Callable[[RecordColumns, Mapping[str, TableUpdates]], RecordColumns]
"""Returns what an operator forwards of many records, given the updates of tables by store."""

_NO_UPDATES = TableUpdates((), (), (), ())


def join_step(node: StreamTableJoinNode, context: OperatorContext) -> JoinStep | None:
    """Return the function that joins many records, given the updates of tables by store; None if there is none for the node.

    There is one for tables that are stored themselves, and not versioned. The function changes no store, and raises OneByOneError
    if a key or a value is null.
    """
    table = node.table
    if not isinstance(table, StoredValueGetter) or table.kind is not StoreKind.KEY_VALUE:
        return None
    store, get, selector = table.store, getter_of(table, context), node.key_selector
    joiner, with_key, keeps_left = node.joiner, node.with_key, node.kind.keeps_left
    if not is_immutable(node.value_type):
        joiner = with_copied_result(joiner)

    def step(records: RecordColumns, updates: Mapping[str, TableUpdates]) -> RecordColumns:
        keys, values, _, _, numbers = records
        if NoneType in set(map(type, values)):
            raise OneByOneError
        row_keys = keys if selector is None else list(map(selector, keys, values))
        if selector is not None:
            check_values(row_keys, "a key selector")
        rows = updates.get(store, _NO_UPDATES).rows_at(row_keys, numbers, get)
        if not keeps_left:
            found = [row is not None for row in rows]
            records, rows = only(records, found), list(compress(rows, found))
            keys, values = records.keys, records.values
        others = [None if row is None else row[0] for row in rows]
        joined = list(map(joiner, keys, values, others) if with_key else map(joiner, values, others))
        check_values(joined, "a joiner")
        return records._replace(values=joined)

    return step


def _position(version: tuple[int, Row | None]) -> int:
    return version[0]
