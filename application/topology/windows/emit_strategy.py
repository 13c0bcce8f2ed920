"""When a windowed aggregation emits results: with every update, or once when the window closes."""

from dataclasses import dataclass

from eddyline.application.topology.windows.window import Duration, milliseconds


@dataclass(frozen=True, slots=True)
class EmitStrategy:
    """When results are emitted: once per window if `on_close`, else with every update.

    `interval_ms` is the minimum wall-clock time between two emissions of closed windows.
    """

    on_close: bool
    interval_ms: int = 0


def on_window_update() -> EmitStrategy:
    """Return the strategy that emits every update of a window's result."""
    return EmitStrategy(on_close=False)


def on_window_close(*, emit_interval: Duration = 0) -> EmitStrategy:
    """Return the strategy that emits the final result of each window, once, with the first record after the window closed.

    Args:
        emit_interval: The minimum wall-clock time between two emissions; 0 emits closed windows with every record.

    Raises:
        TopologyError: If the emit interval is negative.
    """
    return EmitStrategy(on_close=True, interval_ms=milliseconds(emit_interval, "the emit interval of on_window_close"))
