"""What the flow reads and writes, as pandas data frames."""

from collections.abc import Iterable
from dataclasses import asdict

import pandas as pd

import eddyline
from metering.flows import FLOWS
from metering.simulation import Arrival


def frame_of_arrivals(arrivals: Iterable[Arrival]) -> pd.DataFrame:
    """Return a row per reading, with its times as timestamps and its delay in seconds."""
    frame = pd.DataFrame([{"meter": each.meter, **asdict(each.reading), **_times(each)} for each in arrivals])
    frame["delay_s"] = (frame["arrived"] - frame["taken"]).dt.total_seconds()
    return frame


def run(received: pd.DataFrame, grace_ms: int) -> eddyline.FlowResult:
    """Run the flow over the readings in the order of their arrival."""
    readings = received.rename(columns={"meter": "key", "taken": "timestamp"})
    return eddyline.run(FLOWS[0], source=readings[["key", "timestamp", "district", "watt_hours"]], grace_ms=grace_ms)


def frame_of_loads(result: eddyline.FlowResult) -> pd.DataFrame:
    """Return a row per result, indexed by the start of the window and the district."""
    frame = result.frame().rename(columns=lambda name: name.removeprefix("value."))
    frame = frame.rename(columns={"window_start": "start", "key": "district"})
    return frame.set_index(["start", "district"])[["readings", "watt_hours"]].sort_index()


def _times(arrival: Arrival) -> dict[str, pd.Timestamp]:
    return {"taken": _timestamp(arrival.taken_ms), "arrived": _timestamp(arrival.arrived_ms)}


def _timestamp(ms: int) -> pd.Timestamp:
    return pd.Timestamp(ms, unit="ms", tz="UTC")
