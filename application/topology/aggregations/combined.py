"""Several aggregations of the same values."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, TypeVar

from eddyline.application.topology.aggregations.aggregation import Aggregation, Steps, always
from eddyline.application.topology.aggregations.fold import Fold
from eddyline.application.topology.errors import TopologyError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

V = TypeVar("V")
R = TypeVar("R")


def combine(into: type[R], /, **parts: Aggregation[V, Any]) -> Aggregation[V, R]:
    """Return the aggregation whose result is an object with the results of several aggregations, as columns of a SELECT in SQL.

    A part without values that has no row by itself, such as `max(…).where(…)`, has the result None.

    Args:
        into: The type of the result, such as a dataclass.
        parts: The aggregations by the names of the fields.

    Raises:
        TopologyError: If the type does not take these fields.
    """
    try:
        inspect.signature(into).bind(**parts)
    except TypeError as error:
        fields = ", ".join(parts) or "(none)"
        msg = f"combine(…) gives '{into.__name__}' the fields {fields}, but: {error}; pass an aggregation for each field"
        raise TopologyError(msg) from None
    names = tuple(parts)
    of_stream = _combined(into, names, [part.of_stream for part in parts.values()])
    of_table = _combined(into, names, [part.of_table for part in parts.values()])
    return Aggregation("combine", of_stream, of_table, always(into))


def _combined(into: Callable[..., Any], names: tuple[str, ...], steps: Sequence[Steps]) -> Steps:
    folds = [each.fold for each in steps]
    adders = [each.add for each in folds]
    merges, subtractors = [each.merge for each in folds], [each.subtract for each in folds]
    results = [each.result or _same for each in steps]

    def result(states: tuple[Any, ...]) -> Any:
        return into(**{name: one(state) for name, one, state in zip(names, results, states, strict=True)})

    return Steps(
        lambda found: tuple[tuple(each.state_type(found) for each in steps)],  # type: ignore[misc] # types are values here
        Fold(
            lambda: tuple(each.initial() for each in folds),
            lambda states, value: tuple([add(state, value) for add, state in zip(adders, states, strict=True)]),
            _merging(merges),
            _subtracting(subtractors),
            in_order=any(each.in_order for each in folds),
        ),
        result,
    )


def _merging(merges: Sequence[Callable[[Any, Any], Any] | None]) -> Callable[[Any, Any], Any] | None:
    found = [merge for merge in merges if merge is not None]
    if len(found) < len(merges):
        return None
    return lambda one, other: tuple([merge(a, b) for merge, a, b in zip(found, one, other, strict=True)])


def _subtracting(subtractors: Sequence[Callable[[Any, Any], Any] | None]) -> Callable[[Any, Any], Any] | None:
    found = [subtract for subtract in subtractors if subtract is not None]
    if len(found) < len(subtractors):
        return None
    return lambda states, value: tuple([subtract(state, value) for subtract, state in zip(found, states, strict=True)])


def _same(state: Any) -> Any:
    return state
