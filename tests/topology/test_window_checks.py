"""Invalid windows are rejected when they are defined; the message has the invalid value, the valid choices and the fix."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from eddyline.application.topology import (
    TopologyBuilder,
    TopologyError,
    calendar_days,
    hopping,
    join_windows,
    on_window_close,
    session,
    sliding,
    tumbling,
    unlimited,
    until_time_limit,
    until_window_closes,
)


def joined(**options: Any) -> Any:
    return join_windows(**{"before": 1, "after": 1, "grace": 0, **options})


def grouped() -> Any:
    return TopologyBuilder().stream("lines", key=str, value=str).group_by_key()


@pytest.mark.parametrize(
    ("define", "message"),
    [
        (lambda: sliding(0, grace=0), "the time difference of a sliding window must be 1 ms or more, but is 0 ms"),
        (lambda: sliding(5, grace=-1), "the grace period of a sliding window must be 0 ms or more, but is -1 ms"),
        (lambda: session(-1, grace=0), "the inactivity gap of a session window must be 0 ms or more, but is -1 ms"),
        (lambda: session(5, grace=-1), "the grace period of a session window must be 0 ms or more, but is -1 ms"),
        (lambda: calendar_days("UTC", grace=-1), "the grace period of a calendar day must be 0 ms or more, but is -1 ms"),
        (lambda: unlimited(start=-1), "the start of an unlimited window must be 0 ms or more, but is -1 ms"),
        (lambda: until_time_limit(-1), "the time limit of suppress must be 0 ms or more, but is -1 ms"),
        (lambda: until_time_limit(5, max_records=-1), "max_records of suppress must be 0 or more, but is -1; pass None for no"),
        (lambda: until_time_limit(5, max_bytes=-1), "max_bytes of suppress must be 0 or more, but is -1; pass None for no limit"),
        (lambda: hopping(10, advance=0, grace=0), "the advance of a hopping window must be 1 ms or more, but is 0 ms"),
        (lambda: joined(before=timedelta(microseconds=1)), "^before= of a join window"),
        (lambda: joined(after=timedelta(microseconds=1)), "^after= of a join window"),
        (lambda: until_time_limit(5, when_full="wait"), "when_full='wait' .* is unknown; pass 'emit-early' or 'shut-down'"),  # type: ignore[arg-type]
        (lambda: until_window_closes(max_records=-1), "must be 0 or more, but is -1; pass None for no limit"),
        (lambda: on_window_close(emit_interval=-1), "the emit interval of on_window_close must be 0 ms or more, but is -1 ms"),
    ],
)
def test_invalid_options_are_rejected(define: Any, message: str) -> None:
    with pytest.raises(TopologyError, match=message):
        define()


def test_the_least_values_are_accepted() -> None:
    assert (until_time_limit(0, max_records=0, max_bytes=0).max_records, hopping(1, advance=1, grace=0).advance_ms) == (0, 1)


def test_durations_may_be_timedeltas() -> None:
    assert session(timedelta(minutes=5), grace=timedelta(seconds=1)) == session(300_000, grace=1_000)
    assert sliding(timedelta(seconds=2), grace=0).difference_ms == 2_000


@pytest.mark.parametrize(
    ("windows", "shortest"),
    [(session(10, grace=5), 15), (sliding(10, grace=5), 25), (calendar_days("UTC", grace=5), 24 * 3_600_000 + 5)],
)
def test_a_retention_that_would_drop_open_windows_is_rejected(windows: Any, shortest: int) -> None:
    with pytest.raises(
        TopologyError, match=f"a retention of {shortest - 1} ms would drop .*; pass retention_ms={shortest} or more"
    ):
        grouped().windowed_by(windows, retention_ms=shortest - 1)
    grouped().windowed_by(windows, retention_ms=shortest)


def test_unlimited_windows_cannot_be_emitted_on_close() -> None:
    with pytest.raises(
        TopologyError, match=r"windows of 'lines' are unlimited and never close.*pass emit_strategy=on_window_update\(\)"
    ):
        grouped().windowed_by(unlimited(), emit_strategy=on_window_close())


def test_unlimited_windows_cannot_be_suppressed_until_they_close() -> None:
    with pytest.raises(
        TopologyError, match=r"unlimited windows of 'lines-count' never close; pass until_time_limit\(…\) instead"
    ):
        grouped().windowed_by(unlimited()).count().suppress(until_window_closes())


def test_a_table_without_windows_cannot_be_suppressed_until_they_close() -> None:
    with pytest.raises(
        TopologyError, match=r"operator 'lines-count-suppress' .* 'lines-count' has no windows; aggregate with windowed_by"
    ):
        grouped().count().suppress(until_window_closes())


def test_a_suppression_needs_known_types() -> None:
    with pytest.raises(TopologyError, match=r"value type of operator .* is unknown, but needed for the buffer of 'late'"):
        grouped().count().map_values(lambda count: count).suppress(until_time_limit(5), name="late")


def description_of(define: Callable[[Any], Any]) -> str:
    builder = TopologyBuilder()
    define(builder.stream("lines", key=str, value=str).group_by_key()).to_stream().to("out")
    return builder.build().describe()


def test_the_buffer_of_a_suppression_is_named_after_the_operator() -> None:
    text = description_of(
        lambda group: group.windowed_by(tumbling(10, grace=0)).count(store="counts").suppress(until_window_closes())
    )
    assert "Processor: counts-suppress (stores: [counts-suppress-store])" in text
    named = description_of(lambda group: group.count(store="counts").suppress(until_time_limit(5), name="late"))
    assert "Processor: late (stores: [late-store])" in named
