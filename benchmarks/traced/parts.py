"""The parts of a run and of a batch, between the moments that its processes have written."""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from statistics import fmean
from typing import Any, Final, NamedTuple, TypeAlias

from benchmarks.traced.moments import Moment

Parts: TypeAlias = dict[str, float]
"""Seconds by name, in the order of time; they add up to the time between the first and the last moment."""

_CLOCK_S: Final = 0.001
"""Spark's times have no more digits."""


class Batch(NamedTuple):
    """What Spark has reported about a batch: when its trigger began, in seconds since the epoch, and durations in seconds."""

    number: int
    begin: float
    durations: Mapping[str, float]
    states: Sequence[Mapping[str, float]] = ()

    @property
    def end(self) -> float:
        """When the trigger ended."""
        return self.begin + self.durations["triggerExecution"]


def batches(moments: Iterable[Moment]) -> list[Batch]:
    """Return the batches that Spark has reported."""
    return [_batch(json.loads(moment.detail)) for moment in moments if moment.name == "progress"]


def _batch(progress: Mapping[str, Any]) -> Batch:
    durations = {name: milliseconds / 1_000 for name, milliseconds in progress["durationMs"].items()}
    return Batch(progress["batchId"], datetime.fromisoformat(progress["timestamp"]).timestamp(), durations, progress["states"])


def cut(start: float, ends: Iterable[tuple[str, float]]) -> Parts:
    """Return how long each part lasts, given where each ends; one that ends before its predecessor lasts no time."""
    parts: Parts = {}
    for name, end in ends:
        parts[name] = max(0.0, end - start)
        start = max(start, end)
    return parts


def first(moments: Sequence[Moment], name: str, begin: float = 0.0) -> float:
    """Return when there was a moment of this name first, from a time on. Raises SystemExit if there was none."""
    found = next((moment.at for moment in moments if moment.name == name and moment.at >= begin), None)
    if found is None:
        raise SystemExit(f"error: the run has not reached '{name}'; see its output")
    return found


def last(moments: Sequence[Moment], name: str, end: float) -> float:
    """Return when there was a moment of this name last, up to a time."""
    return first([moment for moment in reversed(moments) if moment.at <= end], name)


def planning(moments: Sequence[Moment], batch: Batch) -> list[tuple[str, float]]:
    """Return the parts of a batch until a worker has its first task, each with its end."""
    at, ends = batch.begin, []
    for title, names in (
        ("offsets of the source (latestOffset, getBatch)", ("latestOffset", "getBatch")),
        ("log of offsets (walCommit)", ("walCommit",)),
        ("planning of the query (queryPlanning)", ("queryPlanning",)),
    ):
        at += sum(batch.durations.get(name, 0.0) for name in names)
        ends.append((title, at))
    begin = first(moments, "batch-begin", batch.begin)
    submitted, last_stage = _job(moments, begin, batch.end)
    return [
        *ends,
        ("addBatch, until it calls Python (foreachBatch)", begin),
        ("plan of the rows that Python collects, until the job is submitted", submitted),
        ("job: stages before the last one", last_stage),
        ("job: last stage launched, stores loaded, until a worker begins", first(moments, "worker-begin", begin)),
        ("worker: connects to the stores, until it has rows of a task", first(moments, "stage-begin", begin)),
    ]


def _job(moments: Sequence[Moment], begin: float, end: float) -> tuple[float, float]:
    """Return when the job of a batch and its last stage were submitted; the beginning if Spark has not reported it."""
    for moment in moments:
        if moment.name == "job":
            job = json.loads(moment.detail)
            if begin - _CLOCK_S <= job["submitted"] <= end:
                return job["submitted"], max([job["submitted"], *job["stages"]])
    return begin, begin


def mean(found: Sequence[Parts]) -> Parts:
    """Return the mean of each part: they add up to the mean of the totals."""
    return {name: fmean(parts[name] for parts in found) for name in found[0]}
