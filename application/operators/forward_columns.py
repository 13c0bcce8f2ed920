"""Forwards many updates of a table at once, and finds the one that fails."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eddyline.application.operators.columns import RecordColumns
    from eddyline.application.operators.context import ColumnsForward, TableForward


class LaterError(Exception):
    """An operator downstream has raised an exception, because of the record with this number."""

    def __init__(self, error: Exception, number: int) -> None:
        super().__init__(error, number)
        self.error, self.number = error, number


def forward_together(updates: RecordColumns, ends: Sequence[int], forward: TableForward, columns_forward: ColumnsForward) -> None:
    """Forward updates together, or one by one if that fails, to find out which of them fails.

    Args:
        updates: The updates.
        ends: The number of updates after each of the records that have caused them.
        forward: Forwards one update.
        columns_forward: Forwards many.

    Raises:
        LaterError: an update cannot be forwarded.
    """
    try:
        columns_forward(updates, ends)
    except Exception:  # noqa: BLE001 - whatever it is, it is raised again
        for index, (key, value, timestamp, headers) in enumerate(zip(*updates, strict=True)):
            try:
                forward(key, value, None, timestamp, headers)
            except Exception as error:
                raise LaterError(error, bisect_right(ends, index)) from error
