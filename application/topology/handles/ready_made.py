"""What `aggregate` of streams and tables shares about ready-made aggregations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from eddyline.application.topology.aggregations import Steps
    from eddyline.application.topology.handles.table import Table


def initializer_and_adder(initializer: Any, adder: Callable[..., Any] | None) -> tuple[Any, Callable[..., Any]]:
    """Return both functions of an aggregation that is not ready-made.

    Raises:
        TypeError: If the adder is missing.
    """
    if adder is None:
        msg = "aggregate(…) takes an initializer and an adder, or a ready-made aggregation of eddyline.aggregations"
        raise TypeError(msg)
    return initializer, adder


def with_results(table: Table[Any, Any], steps: Steps, result_type: Any) -> Table[Any, Any]:
    """Return the table of the results of an aggregation, whose store has the states."""
    if steps.result is None:
        return table
    name = table._graph.node_name(str(table.store), "result", None)
    return table.map_values(steps.result, value=result_type, name=name)
