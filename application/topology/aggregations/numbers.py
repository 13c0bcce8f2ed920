"""Counts, sums and means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from eddyline.application.topology.aggregations.aggregation import Aggregation, Steps, always, selected_type
from eddyline.application.topology.callables import check_result

if TYPE_CHECKING:
    from collections.abc import Callable

V = TypeVar("V")
N = TypeVar("N")


def count() -> Aggregation[Any, int]:
    """Return the aggregation that counts values, as COUNT(*) in SQL."""
    steps = Steps(
        state_type=always(int),
        initializer=int,
        adder=lambda total, _value: total + 1,
        merge=lambda one, other: one + other,
        subtractor=lambda total, _value: total - 1,
    )
    return Aggregation("count", steps, steps, always(int))


def sum(of: Callable[[V], N], *, value: type[N] | None = None) -> Aggregation[V, N]:  # noqa: A001 - named as in SQL
    """Return the aggregation that adds up numbers; 0 if there are none. A sum of floats may depend on their order.

    Args:
        of: Returns the number of a value.
        value: The type of the numbers, by default the annotated return type of `of`.

    Raises:
        TopologyError: If the type of the numbers is unknown.
    """
    found: Any = selected_type("sum", of, value)
    add: Callable[[V], Any] = of
    steps = Steps(
        state_type=always(found),
        initializer=found,
        adder=lambda total, each: total + add(each),
        merge=lambda one, other: one + other,
        subtractor=lambda total, each: total - add(each),
    )
    return Aggregation("sum", steps, steps, always(found))


def avg(of: Callable[[V], float]) -> Aggregation[V, float]:
    """Return the aggregation to the mean of numbers; no row without numbers.

    Args:
        of: Returns the number of a value, an int or a float; int are added up exactly.

    Raises:
        TopologyError: If it is a coroutine function or a generator function.
    """
    check_result("the function of avg(…)", of)
    steps = Steps(
        state_type=always(tuple[int, int | float]),
        initializer=lambda: (0, 0),
        adder=lambda state, each: (state[0] + 1, state[1] + of(each)),
        merge=lambda one, other: (one[0] + other[0], one[1] + other[1]),
        subtractor=lambda state, each: (state[0] - 1, state[1] - of(each)),
        result=lambda state: state[1] / state[0] if state[0] else None,
    )
    return Aggregation("avg", steps, steps, always(float))
