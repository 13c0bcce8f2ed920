"""The flow of this project, which the entry point in pyproject.toml names."""

from eddyline import Flow, TopologyBuilder, on_window_close, tumbling
from metering.readings import Load, Reading


def district_loads(builder: TopologyBuilder, *, size_ms: int = 900_000, grace_ms: int = 60_000) -> None:
    """Add up the readings of each district over windows, and emit each window once, when it closes."""

    def district(_meter: str, reading: Reading) -> str:
        return reading.district

    (
        builder.stream("readings", key=str, value=Reading)
        .group_by(district, key=str, name="by-district")
        .windowed_by(tumbling(size_ms, grace=grace_ms), emit_strategy=on_window_close())
        .aggregate(Load, Load.add, store="loads")
        .to_stream()
        .to("district-loads")
    )


FLOWS = (Flow("district-loads", "Adds up the energy that each district uses in a quarter of an hour.", district_loads),)
