"""Windows over event time, and when results are emitted from them."""

from eddyline.application.topology.windows.calendar_windows import CalendarDays, calendar_days
from eddyline.application.topology.windows.emit_strategy import EmitStrategy, on_window_close, on_window_update
from eddyline.application.topology.windows.join_window import JoinWindows, join_windows, unlimited_join_windows
from eddyline.application.topology.windows.session_windows import SessionWindows, session
from eddyline.application.topology.windows.sliding_windows import SlidingWindows, sliding
from eddyline.application.topology.windows.suppression import (
    UntilTimeLimit,
    UntilWindowCloses,
    until_time_limit,
    until_window_closes,
)
from eddyline.application.topology.windows.time_windows import TimeWindows, UnlimitedWindows, hopping, tumbling, unlimited
from eddyline.application.topology.windows.window import (
    Duration,
    EnumerableWindows,
    Window,
    Windowed,
    Windows,
    WindowsByStart,
    milliseconds,
    windowed_of,
)

__all__ = [
    "CalendarDays",
    "Duration",
    "EmitStrategy",
    "EnumerableWindows",
    "JoinWindows",
    "SessionWindows",
    "SlidingWindows",
    "TimeWindows",
    "UnlimitedWindows",
    "UntilTimeLimit",
    "UntilWindowCloses",
    "Window",
    "Windowed",
    "Windows",
    "WindowsByStart",
    "calendar_days",
    "hopping",
    "join_windows",
    "milliseconds",
    "on_window_close",
    "on_window_update",
    "session",
    "sliding",
    "tumbling",
    "unlimited",
    "unlimited_join_windows",
    "until_time_limit",
    "until_window_closes",
    "windowed_of",
]
