"""Reads the current rows of a table that another operator stores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from eddyline.application.operators.context import NO_TIME, Cell
from eddyline.application.operators.joiners import joiner_with_key
from eddyline.application.operators.value_transformer import transformer_of
from eddyline.application.topology.callables import NO_RESULTS, is_true, refuse
from eddyline.application.topology.immutable import own_copy
from eddyline.application.topology.nodes import (
    FilteredValueGetter,
    JoinedValueGetter,
    MappedValueGetter,
    SuppressedValueGetter,
    TransformedValueGetter,
    WindowSizeValueGetter,
)
from eddyline.application.topology.records import RecordMetadata
from eddyline.application.topology.stores import StoreKind
from eddyline.application.topology.types import UNKNOWN
from eddyline.application.topology.windows import Window, Windowed

if TYPE_CHECKING:
    from collections.abc import Callable

    from eddyline.application.operators.context import OperatorContext
    from eddyline.application.topology.nodes import StoredValueGetter, ValueGetter

Row: TypeAlias = "tuple[Any, int]"
"""A value and its timestamp in ms since the epoch."""

Getter: TypeAlias = "Callable[[Any], Row | None]"
"""Returns the row of a key, None if there is none."""

AsOfGetter: TypeAlias = "Callable[[Any, int], Row | None]"
"""Returns the row of a key at a time in ms since the epoch, None if there was none."""


def getter_of(spec: ValueGetter, context: OperatorContext) -> Getter:
    """Return the function that reads the current rows of a table."""
    return _getter(spec, context, lambda stored: _stored(stored, context))


def as_of_getter_of(spec: ValueGetter, context: OperatorContext) -> AsOfGetter:
    """Return the function that reads the rows of a versioned table as of a time."""
    as_of = Cell(NO_TIME)

    def versioned(stored: StoredValueGetter) -> Getter:
        get_version = context.store(stored.store).get
        return lambda key: get_version(key, as_of.value)

    get_row = _getter(spec, context, versioned)

    def get(key: Any, as_of_timestamp: int) -> Row | None:
        as_of.value = as_of_timestamp
        return get_row(key)

    return get


def emitted_getter_of(spec: ValueGetter, context: OperatorContext) -> Getter:
    """Return the function that reads the rows of a table as emitted: without updates that are cached until the commit.

    A row that a cached update replaces already has the timestamp of the update.
    """
    if not context.has_caches:
        return getter_of(spec, context)

    def emitted(stored: StoredValueGetter) -> Getter:
        current, cached = _stored(stored, context), context.cached_updates(stored.store)

        def get(key: Any) -> Row | None:
            update = cached.get(key)
            if update is None:
                return current(key)
            return None if update[1] is None else (own_copy(update[1]), update[2])

        return get

    return _getter(spec, context, emitted)


def _getter(spec: ValueGetter, context: OperatorContext, stored: Callable[[StoredValueGetter], Getter]) -> Getter:
    if isinstance(spec, FilteredValueGetter | WindowSizeValueGetter):
        get_parent = _getter(spec.parent, context, stored)
        return _filtered(spec, get_parent) if isinstance(spec, FilteredValueGetter) else _resized(spec, get_parent)
    if isinstance(spec, MappedValueGetter):
        return _mapped(spec, _getter(spec.parent, context, stored))
    if isinstance(spec, TransformedValueGetter):
        return _transformed(spec, _getter(spec.parent, context, stored), context)
    if isinstance(spec, JoinedValueGetter):
        return _joined(spec, _getter(spec.left, context, stored), _getter(spec.right, context, stored))
    if isinstance(spec, SuppressedValueGetter):
        return _suppressed(spec, _getter(spec.parent, context, stored), context)
    return stored(spec)


def in_windows_of(size_ms: int) -> Callable[[Any], Any]:
    """Return the function that changes the size of the time window of a key; its start remains."""

    def resized(key: Windowed[Any]) -> Windowed[Any]:
        start = key.window.start
        return Windowed(key.key, Window(start, start + size_ms))

    return resized


def _stored(spec: StoredValueGetter, context: OperatorContext) -> Getter:
    store = context.store(spec.store)
    if spec.kind in {StoreKind.KEY_VALUE, StoreKind.VERSIONED}:
        get: Getter = store.get
        return get
    if spec.kind is StoreKind.WINDOW:

        def get_by_window(key: Any) -> Row | None:
            row: Row | None = store.fetch(key.key, key.window.start)
            return row

        return get_by_window

    hidden_after_ms = spec.hidden_after_ms

    def get_by_session(key: Any) -> Row | None:
        session_key, (start, end) = key
        if hidden_after_ms is not None and end <= store.newest - hidden_after_ms:
            return None
        for session_start, session_end, value in store.find_sessions(session_key, end, start):
            if (session_start, session_end) == (start, end):
                return value, end
        return None

    return get_by_session


def _filtered(spec: FilteredValueGetter, get_parent: Getter) -> Getter:
    predicate = spec.predicate

    def get(key: Any) -> Row | None:
        row = get_parent(key)
        return row if row is not None and is_true(predicate(key, row[0])) else None

    return get


def _resized(spec: WindowSizeValueGetter, get_parent: Getter) -> Getter:
    in_size = in_windows_of(spec.size_ms)
    return lambda key: get_parent(in_size(key))


def _mapped(spec: MappedValueGetter, get_parent: Getter) -> Getter:
    mapper, with_key = spec.mapper, spec.with_key

    def get(key: Any) -> Row | None:
        row = get_parent(key)
        if row is None:
            return None
        value = mapper(key, row[0]) if with_key else mapper(row[0])
        if type(value) in NO_RESULTS:
            refuse(value, "a mapper")
        return None if value is None else (value, row[1])

    return get


def _transformed(spec: TransformedValueGetter, get_parent: Getter, context: OperatorContext) -> Getter:
    """Return the getter of transformed rows; the transformer sees the time of the row and no position, as in Kafka Streams."""
    transform = transformer_of(f"{spec.node}-getter", spec.supplier, spec.own_stores, context)

    def get(key: Any) -> Row | None:
        row = get_parent(key)
        value, time = (None, NO_TIME) if row is None else row[:2]
        transformed = context.call_for(RecordMetadata("", -1, -1, time, ()), transform, key, value)
        return None if transformed is None else (transformed, time)

    return get


def _suppressed(spec: SuppressedValueGetter, get_parent: Getter, context: OperatorContext) -> Getter:
    buffer = context.store(spec.store)

    def get(key: Any) -> Row | None:
        buffered = buffer.get(key)
        if buffered is None:
            return get_parent(key)
        last_emitted = buffered[2]
        return None if last_emitted is None else (last_emitted, NO_TIME)

    return get


def _joined(spec: JoinedValueGetter, get_left: Getter, get_right: Getter) -> Getter:
    joiner, kind = joiner_with_key(spec.joiner, UNKNOWN, with_key=spec.with_key), spec.kind

    def get(key: Any) -> Row | None:
        left, right = get_left(key), get_right(key)
        if left is None:
            if right is None or not kind.keeps_right:
                return None
            value, time = joiner(key, None, right[0]), right[1]
        elif right is None:
            if not kind.keeps_left:
                return None
            value, time = joiner(key, left[0], None), left[1]
        else:
            value, time = joiner(key, left[0], right[0]), max(left[1], right[1])
        return None if value is None else (value, time)

    return get
