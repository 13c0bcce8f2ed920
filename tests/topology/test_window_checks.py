"""What can be known of windows when a topology is built is checked then; a message names the step, the choices and the cure."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from eddyline.application.topology import (
    TopologyBuilder,
    TopologyError,
    calendar_days,
    on_window_close,
    session,
    sliding,
    tumbling,
    unlimited,
    until_time_limit,
    until_window_closes,
)


def grouped() -> Any:
    return TopologyBuilder().stream("lines", key=str, value=str).group_by_key()


@pytest.mark.parametrize(
    ("windows", "message"),
    [
        (lambda: sliding(0, grace=0), "the time difference of a sliding window must be at least 1 ms, but is 0 ms"),
        (lambda: sliding(5, grace=-1), "the grace of a sliding window must not be negative, but is -1 ms"),
        (lambda: session(0, grace=0), "the gap of a session must be at least 1 ms, but is 0 ms"),
        (lambda: session(5, grace=-1), "the grace of a session must not be negative, but is -1 ms"),
        (lambda: calendar_days("UTC", grace=-1), "the grace of a calendar day must not be negative, but is -1 ms"),
        (lambda: unlimited(start=-1), "the start of an unlimited window must not be negative, but is -1 ms"),
        (lambda: until_time_limit(-1), "the time limit of a suppression must not be negative, but is -1 ms"),
        (lambda: until_time_limit(5, max_records=-1), "can hold -1 records at most; give 0 or more, or None for no bound"),
        (lambda: until_window_closes(max_records=-1), "can hold -1 records at most; give 0 or more, or None for no bound"),
        (lambda: on_window_close(emit_interval=-1), "the emit interval of on_window_close must not be negative, but is -1 ms"),
    ],
)
def test_what_makes_no_window_is_refused(windows: Any, message: str) -> None:
    with pytest.raises(TopologyError, match=message):
        windows()


def test_lengths_may_be_timedeltas() -> None:
    assert session(timedelta(minutes=5), grace=timedelta(seconds=1)) == session(300_000, grace=1_000)
    assert sliding(timedelta(seconds=2), grace=0).difference_ms == 2_000


@pytest.mark.parametrize(
    ("windows", "least"),
    [(session(10, grace=5), 15), (sliding(10, grace=5), 25), (calendar_days("UTC", grace=5), 24 * 3_600_000 + 5)],
)
def test_a_retention_that_would_lose_open_windows_is_refused(windows: Any, least: int) -> None:
    with pytest.raises(TopologyError, match=f"a retention of {least - 1} ms is shorter .* keep at least {least} ms"):
        grouped().windowed_by(windows, retention_ms=least - 1)
    grouped().windowed_by(windows, retention_ms=least)


def test_unlimited_windows_cannot_leave_on_close() -> None:
    with pytest.raises(TopologyError, match=r"windows of 'lines' are unlimited and never close; .* on_window_update\(\)"):
        grouped().windowed_by(unlimited(), emit_strategy=on_window_close())


def test_waiting_for_unlimited_windows_to_close_is_refused() -> None:
    with pytest.raises(TopologyError, match=r"unlimited windows never do; wait until_time_limit\(…\) instead"):
        grouped().windowed_by(unlimited()).count().suppress(until_window_closes())


def test_waiting_for_windows_of_a_table_without_windows_is_refused() -> None:
    with pytest.raises(TopologyError, match=r"step 'lines-count-suppress' .* but 'lines-count' has none: fold in windows first"):
        grouped().count().suppress(until_window_closes())


def test_holding_back_values_of_a_type_that_is_not_known_is_refused() -> None:
    with pytest.raises(TopologyError, match=r"value type of step .* is not known, but it is held back in step 'late'"):
        grouped().count().map_values(lambda count: count).suppress(until_time_limit(5), name="late")


def described(said: Callable[[Any], Any]) -> str:
    builder = TopologyBuilder()
    said(builder.stream("lines", key=str, value=str).group_by_key()).to_stream().to("out")
    return builder.build().describe()


def test_what_is_held_back_has_a_store_that_is_named_after_the_step() -> None:
    text = described(lambda group: group.windowed_by(tumbling(10, grace=0)).count(store="counts").suppress(until_window_closes()))
    assert "Processor: counts-suppress (stores: [counts-suppress-store])" in text
    named = described(lambda group: group.count(store="counts").suppress(until_time_limit(5), name="late"))
    assert "Processor: late (stores: [late-store])" in named
