"""Joins of two tables of windows whose results are emitted when the windows close."""

from typing import Any, Literal

from eddyline.application.topology import Table, TopologyBuilder, on_window_close, session, sliding, tumbling
from eddyline.application.topology.windows import Windowed
from tests.conformance.joins import pair

_SIZE_MS = 10
_WINDOWS: dict[str, Any] = {"tumbling": tumbling, "sliding": sliding, "session": session}


def closed_joins(
    builder: TopologyBuilder,
    *,
    window: Literal["tumbling", "sliding", "session"] = "tumbling",
    grace_ms: int = 0,
    retention_ms: int | None = None,
    joined: bool = True,
) -> None:
    """Count topics `left` and `right` in windows of 10 ms, and join both counts into topic `joined`."""

    def counts(topic: str) -> Table[Windowed[str], int]:
        grouped = builder.stream(topic, key=str, value=object).group_by_key()
        windows = _WINDOWS[window](_SIZE_MS, grace=grace_ms)
        closed = grouped.windowed_by(windows, retention_ms=retention_ms, emit_strategy=on_window_close())
        table: Table[Windowed[str], int] = closed.count(store=f"{topic}-counts")
        return table

    def described(windowed: Windowed[str], _value: object) -> str:
        return f"{windowed.key} from {windowed.window.start} to {windowed.window.end}"

    if not joined:
        counts("left").to_stream(described).to("joined")
        return
    pairs = counts("left").join(counts("right"), pair, value=object)
    (pairs.to_stream(described) if window == "session" else pairs.to_stream()).to("joined")
