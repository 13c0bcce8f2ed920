"""Aggregation in calendar days of a time zone."""

from datetime import datetime
from zoneinfo import ZoneInfo

from eddyline.application.topology import calendar_days
from tests.operators.counting import counting, pipe

HOUR = 3_600_000


def at(zone: str, *moment: int) -> int:
    """Return a local time of a time zone (year, month, day, hour, …) in ms since the epoch."""
    return int(datetime(*moment, tzinfo=ZoneInfo(zone)).timestamp() * 1_000)  # type: ignore[arg-type, misc] # numbers alone


def test_a_day_starts_at_midnight_and_ends_before_the_next_midnight() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(calendar_days("Europe/Berlin", grace=0)).count())
    midnight = at("Europe/Berlin", 2024, 1, 10)
    assert pipe(engine, "a", midnight - 1) == [("a", midnight - 24 * HOUR, midnight, 1, midnight - 1)]
    assert pipe(engine, "a", midnight) == [("a", midnight, midnight + 24 * HOUR, 1, midnight)]


def test_the_day_on_which_clocks_are_put_forward_has_23_hours() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(calendar_days("Europe/Berlin", grace=0)).count())
    start = at("Europe/Berlin", 2024, 3, 31)
    assert pipe(engine, "a", start + 22 * HOUR) == [("a", start, start + 23 * HOUR, 1, start + 22 * HOUR)]
    assert pipe(engine, "a", start + 23 * HOUR)[0][1] == at("Europe/Berlin", 2024, 4, 1)


def test_the_day_on_which_clocks_are_put_back_has_25_hours() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(calendar_days("Europe/Berlin", grace=0)).count())
    start = at("Europe/Berlin", 2024, 10, 27)
    assert pipe(engine, "a", start + 24 * HOUR) == [("a", start, start + 25 * HOUR, 1, start + 24 * HOUR)]


def test_a_day_of_25_hours_accepts_late_records_until_its_grace_period_is_over() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(calendar_days("Europe/Berlin", grace=HOUR)).count())
    start = at("Europe/Berlin", 2024, 10, 27)
    pipe(engine, "a", start)
    pipe(engine, "b", start + 25 * HOUR + HOUR // 2)
    assert pipe(engine, "a", start + HOUR) == [("a", start, start + 25 * HOUR, 2, start + HOUR)]


def test_a_late_record_is_dropped_after_midnight() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(calendar_days("Asia/Tokyo", grace=0)).count(store="counts"))
    midnight = at("Asia/Tokyo", 2024, 1, 10)
    pipe(engine, "a", midnight)
    assert pipe(engine, "a", midnight - 1) == []
    assert engine.drops == {("counts-count", "late"): 1}
