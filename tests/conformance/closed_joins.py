"""Joins of two tables of windows whose results are emitted when the windows close."""

from typing import Any, Literal

from eddyline.application.topology import Table, TopologyBuilder, on_window_close, sliding, tumbling
from eddyline.application.topology.windows import Windowed
from tests.conformance.joins import pair

_SIZE_MS = 10


def closed_joins(
    builder: TopologyBuilder,
    *,
    window: Literal["tumbling", "sliding"] = "tumbling",
    grace_ms: int = 0,
    retention_ms: int | None = None,
) -> None:
    """Count topics `left` and `right` in windows of 10 ms, and join both counts into topic `joined`."""

    def counts(topic: str) -> Table[Windowed[str], int]:
        windows: Any = sliding(_SIZE_MS, grace=grace_ms) if window == "sliding" else tumbling(_SIZE_MS, grace=grace_ms)
        grouped = builder.stream(topic, key=str, value=object).group_by_key()
        closed = grouped.windowed_by(windows, retention_ms=retention_ms, emit_strategy=on_window_close())
        table: Table[Windowed[str], int] = closed.count(store=f"{topic}-counts")
        return table

    counts("left").join(counts("right"), pair, value=object).to_stream().to("joined")
