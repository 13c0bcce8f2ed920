"""Where values come from: values that carry their origins, and origins as a graph that shares what they have in common.

Origins are None for nothing, an `Origin` for one input record, a tuple of origins for all of them, or one of the nodes below.
A store entry that is updated again and again refers to the origins of its previous value, so each update adds one small object,
and all of it is released with the entry.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, TypeAlias

from eddyline.application.operators.byte_size import byte_size
from eddyline.application.ports.event_log import Position
from eddyline.application.topology.immutable import own_copy

Origins: TypeAlias = "Origin | Triggered | Wide | Changed | tuple[Any, ...] | None"


class Origin:
    """One input record.

    Attributes:
        position: Where it is.
        number: Its number among the records that tasks have taken, which orders the records as they were processed.
        order: What its task ordered it by: its event time, or that of an earlier record of its partition if that is greater.
        batch: The number of the batch in which it was processed.
    """

    __slots__ = ("batch", "number", "order", "position")

    def __init__(self, position: Position, number: int, order: int, batch: int) -> None:
        self.position, self.number, self.order, self.batch = position, number, order, batch


class Triggered:
    """What was emitted because of another record than those that it was made of, such as the result of a closed window."""

    __slots__ = ("data", "trigger")

    def __init__(self, data: Origins, trigger: Origins) -> None:
        self.data, self.trigger = data, trigger


class Wide:
    """Origins, and others that may have had influence without being part of the value: rows that were read, stream time."""

    __slots__ = ("extra", "origins")

    def __init__(self, origins: Origins, extra: Origins) -> None:
        self.origins, self.extra = origins, extra


class Change(NamedTuple):
    """A change of a store entry, with plain values.

    Attributes:
        store: The store.
        key: The store key, with the window if there is one.
        before: The value before, None if there was none.
        after: The value after.
        cause: The input record that was being processed, None in a commit.
        number: The number of the change.
    """

    store: str
    key: Any
    before: Any
    after: Any
    cause: "Origin | None"
    number: int


class Changed:
    """The origins of a value that was put into a store, with the change of the store."""

    __slots__ = ("change", "origins")

    def __init__(self, origins: Origins, change: Change) -> None:
        self.origins, self.change = origins, change


class Traced:
    """A value with its origins; the value is None only in the output of a task."""

    __slots__ = ("origins", "value")

    def __init__(self, value: Any, origins: Origins) -> None:
        self.value, self.origins = value, origins

    def __str__(self) -> str:
        """Return text of the size of the value, since buffers that are limited in bytes measure what they do not know as text."""
        return "x" * byte_size(self.value)

    def __deepcopy__(self, memo: dict[int, Any]) -> "Traced":
        """Return a copy that shares the origins."""
        del memo
        return Traced(own_copy(self.value), self.origins)


def joined(parts: Iterable[Origins]) -> Origins:
    """Return the origins of all parts; equal ones are taken once."""
    found = tuple({id(part): part for part in parts if part is not None}.values())
    if len(found) > 1:
        return found
    return found[0] if found else None


def origins_of(value: Any) -> Origins:
    """Return the origins of a value, or of all values in a row or a list of a store."""
    if type(value) is Traced:
        found: Origins = value.origins
        return found
    if isinstance(value, tuple | list):
        return joined(map(origins_of, value))
    return None


def plain(value: Any) -> Any:
    """Return a value, or a row or a list of a store, without origins."""
    kind = type(value)
    if kind is Traced:
        return value.value
    if isinstance(value, Traced):
        return plain(value.value)
    if kind is tuple:
        return tuple(map(plain, value))
    if kind is list:
        return list(map(plain, value))
    return value._make(map(plain, value)) if isinstance(value, tuple) and hasattr(value, "_make") else value


class Found(NamedTuple):
    """What a graph of origins contains.

    Attributes:
        inputs: The input records that a value was made of.
        triggers: The records that only caused it to be emitted.
        changes: The changes of stores on the way, in no order.
    """

    inputs: dict[Position, Origin]
    triggers: dict[Position, Origin]
    changes: list[Change]


def found_in(origins: Origins, *, wide: bool = False) -> Found:
    """Return the input records in a graph of origins; with `wide`, also those that may only have had influence."""
    changes: list[Change] = []
    later: list[Origins] = []
    inputs = dict(_inputs([origins], set(), changes, later, wide=wide))
    triggers = dict(_inputs(later, set(), changes, None, wide=wide))
    return Found(inputs, {position: origin for position, origin in triggers.items() if position not in inputs}, changes)


def _inputs(
    waiting: list[Origins], seen: set[int], changes: list[Change], triggers: list[Origins] | None, *, wide: bool
) -> Iterator[tuple[Position, Origin]]:
    """Yield the input records; the triggers are appended to `triggers`, or belong to the inputs if it is None."""
    while waiting:
        origins = waiting.pop()
        if origins is None or id(origins) in seen:
            continue
        seen.add(id(origins))
        if isinstance(origins, Origin):
            yield origins.position, origins
        elif isinstance(origins, tuple):
            waiting.extend(origins)
        elif isinstance(origins, Triggered):
            waiting.append(origins.data)
            (waiting if triggers is None else triggers).append(origins.trigger)
        elif isinstance(origins, Wide):
            waiting.append(origins.origins)
            if wide:
                waiting.append(origins.extra)
        else:
            changes.append(origins.change)
            waiting.append(origins.origins)
