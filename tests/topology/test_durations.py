"""Durations are milliseconds, timedeltas or text, wherever the API takes one."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from eddyline import (
    TopologyBuilder,
    TopologyError,
    calendar_days,
    hopping,
    join_windows,
    on_window_close,
    session,
    sliding,
    tumbling,
    until_time_limit,
    window_store,
)
from eddyline.application.topology.windows import milliseconds

TEN_MINUTES = 600_000


@pytest.mark.parametrize(
    ("duration", "expected"),
    [
        (250, 250),
        (timedelta(minutes=10), TEN_MINUTES),
        ("500ms", 500),
        ("10s", 10_000),
        ("10m", TEN_MINUTES),
        ("10 min", TEN_MINUTES),
        ("1h30m", 5_400_000),
        ("1d 2h", 93_600_000),
        ("0s", 0),
    ],
)
def test_a_duration_has_many_forms(duration: Any, expected: int) -> None:
    assert milliseconds(duration, "it") == expected


@pytest.mark.parametrize("duration", ["10", "ten", "10m5", "-1s", "1.5h", "", 1.5, True, None, timedelta(microseconds=1)])
def test_what_is_no_duration_is_an_error_with_the_forms(duration: Any) -> None:
    with pytest.raises(
        TopologyError, match=r"^the size must be a whole number of ms, a timedelta .* such as '500ms', '10m'"
    ) as error:
        milliseconds(duration, "the size")
    assert str(error.value).endswith(f"but is {duration!r}")


def windowed(retention: Any) -> object:
    builder = TopologyBuilder()
    grouped = builder.stream("t", key=str, value=int).group_by_key()
    grouped.windowed_by(tumbling("1m", grace=0), retention_ms=retention).count(store="s")
    return builder.build().stores["s"].retention_ms


def source(idle_timeout: Any) -> object:
    builder = TopologyBuilder()
    builder.stream("t", key=str, value=int, idle_timeout=idle_timeout).to("out")
    return [getattr(node, "idle_timeout_ms", None) for node in builder.build().nodes]


FORMS: tuple[Any, ...] = (TEN_MINUTES, "10m", timedelta(minutes=10))
PLACES: dict[str, Callable[[Any], object]] = {
    "tumbling": lambda d: tumbling(d, grace=d),
    "hopping": lambda d: hopping(d, advance=d, grace=d),
    "sliding": lambda d: sliding(d, grace=d),
    "session": lambda d: session(d, grace=d),
    "calendar_days": lambda d: calendar_days("UTC", grace=d),
    "join_windows": lambda d: join_windows(before=d, after=d, grace=d),
    "on_window_close": lambda d: on_window_close(emit_interval=d),
    "until_time_limit": until_time_limit,
    "window_store": lambda d: window_store("s", key=str, value=int, retention=d, window_size=d),
    "windowed_by": windowed,
    "stream": source,
}


@pytest.mark.parametrize("place", PLACES)
def test_a_duration_can_be_text_or_a_timedelta_wherever_one_is_taken(place: str) -> None:
    number, text, delta = (PLACES[place](form) for form in FORMS)
    assert number == text == delta


def test_milliseconds_are_whole_numbers() -> None:
    assert repr(milliseconds(timedelta(seconds=1), "the size")) == "1000"
