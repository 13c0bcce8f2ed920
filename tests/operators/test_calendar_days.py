"""Folding in days of a time zone's calendar."""

from datetime import datetime
from zoneinfo import ZoneInfo

from eddyline.application.topology import calendar_days
from tests.operators.counting import after, counting

HOUR = 3_600_000


def at(zone: str, *moment: int) -> int:
    """A moment of a zone's calendar (year, month, day, hour, …) in ms since the epoch."""
    return int(datetime(*moment, tzinfo=ZoneInfo(zone)).timestamp() * 1_000)  # type: ignore[arg-type, misc] # numbers alone


def test_a_day_holds_its_first_moment_and_not_the_next_days() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(calendar_days("Europe/Berlin", grace=0)).count())
    midnight = at("Europe/Berlin", 2024, 1, 10)
    assert after(engine, "a", midnight - 1) == [("a", midnight - 24 * HOUR, midnight, 1, midnight - 1)]
    assert after(engine, "a", midnight) == [("a", midnight, midnight + 24 * HOUR, 1, midnight)]


def test_the_day_on_which_clocks_go_forward_has_23_hours() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(calendar_days("Europe/Berlin", grace=0)).count())
    start = at("Europe/Berlin", 2024, 3, 31)
    assert after(engine, "a", start + 22 * HOUR) == [("a", start, start + 23 * HOUR, 1, start + 22 * HOUR)]
    assert after(engine, "a", start + 23 * HOUR)[0][1] == at("Europe/Berlin", 2024, 4, 1)


def test_the_day_on_which_clocks_go_back_has_25_hours() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(calendar_days("Europe/Berlin", grace=0)).count())
    start = at("Europe/Berlin", 2024, 10, 27)
    assert after(engine, "a", start + 24 * HOUR) == [("a", start, start + 25 * HOUR, 1, start + 24 * HOUR)]


def test_a_long_day_is_kept_as_long_as_it_takes_late_records() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(calendar_days("Europe/Berlin", grace=HOUR)).count())
    start = at("Europe/Berlin", 2024, 10, 27)
    after(engine, "a", start)
    after(engine, "b", start + 25 * HOUR + HOUR // 2)
    assert after(engine, "a", start + HOUR) == [("a", start, start + 25 * HOUR, 2, start + HOUR)]


def test_a_late_record_is_dropped_after_midnight() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(calendar_days("Asia/Tokyo", grace=0)).count(store="counts"))
    midnight = at("Asia/Tokyo", 2024, 1, 10)
    after(engine, "a", midnight)
    assert after(engine, "a", midnight - 1) == []
    assert engine.drops == {("counts-count", "late"): 1}
