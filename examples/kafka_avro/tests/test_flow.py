"""The flow on the memory engine: no broker, no registry."""

from datetime import UTC, datetime, timedelta

from cold_chain.flows import FLOWS
from cold_chain.readings import Alarm, Reading

from eddyline.testing import MemoryEngine

NOON = datetime(2026, 7, 1, 12, 0, tzinfo=UTC)


def alarms(*temperatures: tuple[int, float]) -> list[Alarm]:
    """Return the alarms after readings of a truck, each given as minute after noon and degrees Celsius."""
    engine = MemoryEngine(FLOWS[0].topology())
    for minute, celsius in temperatures:
        engine.pipe("readings", "truck-1", Reading("truck-1", celsius, NOON + timedelta(minutes=minute)), timestamp=0)
    return [record.value for record in engine.outputs("alarms")]


def test_a_warm_window_raises_an_alarm_when_it_closes() -> None:
    expected = Alarm("truck-1", 11.0, 2, NOON, NOON + timedelta(minutes=5))
    assert alarms((0, 10.0), (1, 12.0)) == []
    assert alarms((0, 10.0), (1, 12.0), (6, 4.0)) == [expected]


def test_a_cold_window_raises_none() -> None:
    assert alarms((0, 10.0), (1, 4.0), (6, 4.0)) == []


def test_a_reading_counts_at_the_time_of_the_sensor() -> None:
    assert alarms((0, 10.0), (5, 4.0), (1, 12.0), (6, 4.0))[0].readings == 2
