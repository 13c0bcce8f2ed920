"""The flow on the memory engine."""

from metering.flows import FLOWS
from metering.readings import Load, Reading
from metering.simulation import MINUTE_MS, START_MS, Arrival, arrivals

from eddyline.testing import MemoryEngine


def arrival(minute: int, arrives_after_minutes: int = 0) -> Arrival:
    """Return a reading of 10 watt-hours."""
    taken_ms = START_MS + minute * MINUTE_MS
    return Arrival("meter-1", Reading("hill", 10.0), taken_ms, taken_ms + arrives_after_minutes * MINUTE_MS)


def run(arrivals: list[Arrival], grace_ms: int) -> MemoryEngine:
    """Process readings in the order of their arrival."""
    engine = MemoryEngine(FLOWS[0].topology(grace_ms=grace_ms))
    engine.pipe_all(("readings", each.meter, each.reading, each.taken_ms) for each in arrivals)
    return engine


def test_a_window_is_emitted_once_when_it_closes() -> None:
    engine = run([arrival(0), arrival(14), arrival(15)], grace_ms=0)
    (output,) = engine.outputs("district-loads")
    assert (output.key.key, output.key.window.start, output.value) == ("hill", START_MS, Load(2, 20.0))


def test_a_late_reading_counts_within_the_grace_period() -> None:
    late = [arrival(0), arrival(15), arrival(14, arrives_after_minutes=1), arrival(17)]
    assert [output.value.readings for output in run(late, grace_ms=MINUTE_MS).outputs("district-loads")] == [2]
    assert [output.value.readings for output in run(late, grace_ms=0).outputs("district-loads")] == [1]


def test_the_same_seed_gives_the_same_readings() -> None:
    assert arrivals(hours=1, seed=7) == arrivals(hours=1, seed=7) != arrivals(hours=1, seed=8)
