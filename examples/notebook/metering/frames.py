"""What a flow reads and writes, as pandas data frames."""

from collections.abc import Iterable
from dataclasses import asdict

import pandas as pd

from eddyline.testing import MemoryEngine, Output
from metering.flows import FLOWS
from metering.simulation import Arrival


def frame_of_arrivals(arrivals: Iterable[Arrival]) -> pd.DataFrame:
    """Return a row per reading, with its times as timestamps and its delay in seconds."""
    frame = pd.DataFrame([{"meter": each.meter, **asdict(each.reading), **_times(each)} for each in arrivals])
    frame["delay_s"] = (frame["arrived"] - frame["taken"]).dt.total_seconds()
    return frame


def frame_of_loads(outputs: Iterable[Output]) -> pd.DataFrame:
    """Return a row per result, indexed by the start of the window and the district."""
    rows = [{"start": _timestamp(each.key.window.start), "district": each.key.key, **asdict(each.value)} for each in outputs]
    return pd.DataFrame(rows).set_index(["start", "district"]).sort_index()


def run(arrivals: Iterable[Arrival], grace_ms: int) -> MemoryEngine:
    """Run the flow over the readings in the order of their arrival; return the engine with the outputs and drops."""
    engine = MemoryEngine(FLOWS[0].topology(grace_ms=grace_ms))
    engine.pipe_all(("readings", each.meter, each.reading, each.taken_ms) for each in arrivals)
    return engine


def _times(arrival: Arrival) -> dict[str, pd.Timestamp]:
    return {"taken": _timestamp(arrival.taken_ms), "arrived": _timestamp(arrival.arrived_ms)}


def _timestamp(ms: int) -> pd.Timestamp:
    return pd.Timestamp(ms, unit="ms", tz="UTC")
