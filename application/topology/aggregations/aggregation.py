"""What a ready-made aggregation consists of."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from eddyline.application.topology.aggregations.fold import Fold
from eddyline.application.topology.callables import check_result, is_true
from eddyline.application.topology.errors import TopologyError
from eddyline.application.topology.types import UNKNOWN, explicit_or, returned_type

if TYPE_CHECKING:
    from collections.abc import Callable

V_contra = TypeVar("V_contra", contravariant=True)
R_co = TypeVar("R_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Steps:
    """The fold of an aggregation to its state, which is never changed in place, and what becomes of the state.

    `state_type` returns the type of the state for the type of the values. `result` returns the result for a state, None if the
    state is the result. Folds of streams merge, those of tables subtract.
    """

    state_type: Callable[[object], object]
    fold: Fold
    result: Callable[[Any], Any] | None = None


@dataclass(frozen=True, slots=True)
class Aggregation(Generic[V_contra, R_co]):
    """An aggregation of values of type V to a result of type R, to be passed to `aggregate(…)` of a grouped stream or table.

    The functions of `eddyline.aggregations` return it.
    """

    name: str
    of_stream: Steps
    of_table: Steps
    result_type: Callable[[object], object]

    def where(self, predicate: Callable[[V_contra], bool]) -> Aggregation[V_contra, R_co]:
        """Return the same aggregation of only the values that match a predicate, as FILTER (WHERE …) in SQL.

        Args:
            predicate: Whether a value counts; it must depend on the value alone.

        Raises:
            TopologyError: If it is a coroutine function or a generator function.
        """
        check_result(f"the predicate of {self.name}(…).where(…)", predicate)
        return replace(self, of_stream=_filtered(self.of_stream, predicate), of_table=_filtered(self.of_table, predicate))


def _filtered(steps: Steps, predicate: Callable[[Any], bool]) -> Steps:
    adder, subtractor = steps.fold.add, steps.fold.subtract

    def matches(value: Any) -> bool:
        found: object = predicate(value)
        return found is True or (found is not False and is_true(found))

    def add(state: Any, value: Any) -> Any:
        return adder(state, value) if matches(value) else state

    if subtractor is None:
        return replace(steps, fold=replace(steps.fold, add=add))

    def subtract(state: Any, value: Any) -> Any:
        return subtractor(state, value) if matches(value) else state

    return replace(steps, fold=replace(steps.fold, add=add, subtract=subtract))


def selected_type(aggregation: str, selector: Any, given: Any) -> object:
    """Return the type of what a selector returns for a value.

    Raises:
        TopologyError: If it was neither given nor annotated, or the selector is a coroutine function or a generator function.
    """
    if not callable(selector):
        msg = f"{aggregation}(…) takes a function of the value, but got {selector!r}; pass for example lambda value: value.price"
        raise TopologyError(msg)
    check_result(f"the function of {aggregation}(…)", selector)
    found = explicit_or(given, returned_type(selector))
    if found is UNKNOWN:
        name = getattr(selector, "__qualname__", type(selector).__qualname__)
        msg = (
            f"the type that '{name}' returns is unknown, but {aggregation}(…) keeps such values; "
            f"annotate its return type, or pass value= to {aggregation}(…)"
        )
        raise TopologyError(msg)
    return found


def always(found: object) -> Callable[[object], object]:
    """Return a function that returns a type, whatever the type of the values is."""
    return lambda _value_type: found
