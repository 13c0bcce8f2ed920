"""Reads the current row of a table that another step keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from eddyline.application.operators.context import NO_TIME
from eddyline.application.operators.joining import joiner_with_key
from eddyline.application.topology.stores import StoreKind
from eddyline.application.topology.views import FilteredView, JoinedView, MappedView, SuppressedView

if TYPE_CHECKING:
    from collections.abc import Callable

    from eddyline.application.operators.context import OperatorContext
    from eddyline.application.topology.views import StoredView, TableView

Row: TypeAlias = "tuple[Any, int]"
"""A value and its timestamp in ms since the epoch."""

Getter: TypeAlias = "Callable[[Any], Row | None]"
"""Gives the row of a key, None where there is none."""


def getter(view: TableView, context: OperatorContext) -> Getter:
    """How the rows of a table are read in a task, as they are at that moment."""
    return _read(view, context, lambda stored: _stored(stored, context))


def emitted_getter(view: TableView, context: OperatorContext) -> Getter:
    """How the rows of a table are read as its listeners know them: an update that waits for the commit is not seen yet.

    A row that such an update replaces has the update's time already.
    """
    if not context.emits_latest:
        return getter(view, context)

    def emitted(stored: StoredView) -> Getter:
        current, held = _stored(stored, context), context.cached_updates(stored.store)

        def read(key: Any) -> Row | None:
            update = held.get(key)
            if update is None:
                return current(key)
            return None if update[1] is None else (update[1], update[2])

        return read

    return _read(view, context, emitted)


def _read(view: TableView, context: OperatorContext, stored: Callable[[StoredView], Getter]) -> Getter:
    if isinstance(view, FilteredView):
        return _filtered(view, _read(view.parent, context, stored))
    if isinstance(view, MappedView):
        return _mapped(view, _read(view.parent, context, stored))
    if isinstance(view, JoinedView):
        return _joined(view, _read(view.left, context, stored), _read(view.right, context, stored))
    if isinstance(view, SuppressedView):
        return _suppressed(view, _read(view.parent, context, stored), context)
    return stored(view)


def _stored(view: StoredView, context: OperatorContext) -> Getter:
    store = context.store(view.store)
    if view.kind is StoreKind.KEY_VALUE:
        get: Getter = store.get
        return get
    if view.kind is StoreKind.WINDOW:

        def in_window(key: Any) -> Row | None:
            row: Row | None = store.fetch(key.key, key.window.start)
            return row

        return in_window

    def of_session(key: Any) -> Row | None:
        inner, (start, end) = key
        for session_start, session_end, value in store.find_sessions(inner, end, start):
            if (session_start, session_end) == (start, end):
                return value, end
        return None

    return of_session


def _filtered(view: FilteredView, get: Getter) -> Getter:
    predicate = view.predicate

    def read(key: Any) -> Row | None:
        row = get(key)
        return row if row is not None and predicate(key, row[0]) else None

    return read


def _mapped(view: MappedView, get: Getter) -> Getter:
    mapper, with_key = view.mapper, view.with_key

    def read(key: Any) -> Row | None:
        row = get(key)
        if row is None:
            return None
        value = mapper(key, row[0]) if with_key else mapper(row[0])
        return None if value is None else (value, row[1])

    return read


def _suppressed(view: SuppressedView, get: Getter, context: OperatorContext) -> Getter:
    held_back = context.store(view.store)

    def read(key: Any) -> Row | None:
        held = held_back.get(key)
        if held is None:
            return get(key)
        before = held[2]
        return None if before is None else (before, NO_TIME)

    return read


def _joined(view: JoinedView, get_left: Getter, get_right: Getter) -> Getter:
    joined, kind = joiner_with_key(view.joiner, with_key=view.with_key), view.kind

    def read(key: Any) -> Row | None:
        left, right = get_left(key), get_right(key)
        if left is None:
            if right is None or not kind.keeps_right:
                return None
            value, time = joined(key, None, right[0]), right[1]
        elif right is None:
            if not kind.keeps_left:
                return None
            value, time = joined(key, left[0], None), left[1]
        else:
            value, time = joined(key, left[0], right[0]), max(left[1], right[1])
        return None if value is None else (value, time)

    return read
