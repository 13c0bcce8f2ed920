"""Lets the driver of a run write its moments, and those of its workers."""

import json
from contextlib import suppress
from functools import wraps
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark import SparkContext

from benchmarks.traced.moments import traced, write


def trace_driver() -> None:
    """Trace what the driver runs from now on; call it before the session starts."""
    from eddyline.adapters.spark import engine  # noqa: PLC0415 - importing it is a part of the run
    from eddyline.adapters.spark.driver import driver_session, progress, query, session, session_settings  # noqa: PLC0415

    session_settings.DEFAULTS["spark.python.daemon.module"] = "benchmarks.traced.daemon"  # type: ignore[index] # it is a dict
    traced(session, "start_java", "java")
    traced(driver_session, "build_session", "session")
    traced(engine, "start_query", "query")
    traced(query.BatchWriter, "write", "batch")
    _trace_progress(progress.QueryProgress)


def _trace_progress(owner: Any) -> None:
    """Write what Spark reports about each batch, when Eddyline sees it."""
    jobs = _Jobs()
    original = owner._progress  # noqa: SLF001 - what Spark reports is nowhere else

    @wraps(original)
    def call(self: Any, progress: Any) -> Any:
        names = ("batchId", "timestamp", "numInputRows", "durationMs")
        states = [
            dict(operator["customMetrics"], commitTimeMs=operator["commitTimeMs"]) for operator in progress["stateOperators"]
        ]
        write("progress", json.dumps({**{name: progress[name] for name in names}, "states": states}, default=dict))
        jobs.write_new()
        return original(self, progress)

    owner._progress = call  # noqa: SLF001 - likewise


class _Jobs:
    """The jobs of Spark that have ended: when each was submitted, when its stages were, and when each was completed."""

    def __init__(self) -> None:
        self._next = 0

    def write_new(self) -> None:
        """Write the jobs that have ended since the last call."""
        context: Any = SparkContext._active_spark_context  # noqa: SLF001 - the only way to Spark's own times
        store = context._jsc.sc().statusStore()  # noqa: SLF001 - likewise
        with suppress(Py4JJavaError):  # there is no such job yet
            while (job := store.job(self._next)).completionTime().isDefined():
                numbers = job.stageIds()
                stages = [store.lastStageAttempt(numbers.apply(index)) for index in range(numbers.size())]
                begun = [_seconds(stage.submissionTime()) for stage in stages if stage.submissionTime().isDefined()]
                times = {"submitted": _seconds(job.submissionTime()), "completed": _seconds(job.completionTime())}
                write("job", json.dumps({**times, "stages": sorted(begun)}))
                self._next += 1


def _seconds(date: Any) -> float:
    """Return the time in an Option[Date] of Scala."""
    return float(date.get().getTime() / 1_000)
