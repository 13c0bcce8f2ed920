"""When the results of a windowed fold leave it: at each update, or once, when their window closes."""

from dataclasses import dataclass

from eddyline.application.topology.windows import Duration, milliseconds


@dataclass(frozen=True, slots=True)
class EmitStrategy:
    """`on_close` lets each result out once; `interval_ms` then lies, by the wall clock, between two looks at what has closed."""

    on_close: bool
    interval_ms: int = 0


def on_window_update() -> EmitStrategy:
    """Each update of a window's result leaves at once."""
    return EmitStrategy(on_close=False)


def on_window_close(*, emit_interval: Duration = 0) -> EmitStrategy:
    """The result of a window leaves once, with the first record that comes after the window is closed.

    Looks at what has closed are at least `emit_interval` apart by the wall clock; 0 looks at every record.
    """
    return EmitStrategy(on_close=True, interval_ms=milliseconds(emit_interval, "the emit interval of on_window_close"))
