"""The flow of this project, which the entry point in pyproject.toml names."""

from datetime import UTC, datetime

from cold_chain.readings import Alarm, Average, Reading
from eddyline import Flow, SourceRecord, TopologyBuilder, Windowed, on_window_close, tumbling


def cold_chain(
    builder: TopologyBuilder,
    *,
    readings: str = "readings",
    alarms: str = "alarms",
    limit: float = 8.0,
    size_ms: int = 300_000,
    grace_ms: int = 60_000,
) -> None:
    """Average the readings of each truck over windows, and write an alarm for each closed window that is too warm."""

    def too_warm(_truck: Windowed[str], average: Average) -> bool:
        return average.celsius > limit

    (
        builder.stream(readings, key=str, value=Reading, timestamp=time_of_reading)
        .group_by_key()
        .windowed_by(tumbling(size_ms, grace=grace_ms), emit_strategy=on_window_close())
        .aggregate(Average, Average.add, store="averages")
        .to_stream()
        .filter(too_warm)
        .map(alarm)
        .to(alarms)
    )


def time_of_reading(record: SourceRecord) -> int:
    """Return when the sensor measured, in ms since the epoch: trucks without a connection send readings later."""
    reading: Reading = record.value
    return round(reading.taken_at.timestamp() * 1_000)


def alarm(truck: Windowed[str], average: Average) -> tuple[str, Alarm]:
    """Return the alarm of a window, by truck."""
    start, end = (datetime.fromtimestamp(bound / 1_000, UTC) for bound in truck.window)
    return truck.key, average.alarm(truck.key, start, end)


FLOWS = (Flow("cold-chain", "Raises an alarm when the load of a truck is too warm on average.", cold_chain),)
