"""The goals of Eddyline beside the peers, as ratios of what the suite measures."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from benchmarks.goals import print_goal
from benchmarks.suite.report import Row

_WHOLE: Final = "whole records/s"
_WARM: Final = "warm records/s"
_WARM_CPU: Final = "warm CPU µs/record"
_LATEST: Final = "eddyline latest"
_CACHE: Final = "kafka-streams cache, exactly once"
_NO_CACHE: Final = "kafka-streams no cache, exactly once"


class Goal(NamedTuple):
    """How many times the measure of a peer that of a program should be, at least or at most."""

    program: str
    peer: str
    measure: str
    limit: float
    at_most: bool = False


_GOALS: Final = {
    "stock-stats": (
        Goal(_LATEST, "flink", _WARM, 2.5),
        Goal(_LATEST, "flink", _WHOLE, 1.5),
        Goal(_LATEST, "flink, exactly once", _WARM, 2.5),
        Goal(_LATEST, "flink, exactly once", _WHOLE, 1.5),
        Goal(_LATEST, _CACHE, _WARM, 3),
        Goal(_LATEST, "spark", _WARM, 3),
        Goal(_LATEST, "hand-written loop", _WARM_CPU, 3, at_most=True),
        Goal("eddyline latest, general path", _CACHE, _WARM, 1.5),
        Goal("eddyline every update", _NO_CACHE, _WARM, 2.5),
    ),
    "word-count": (Goal(_LATEST, "spark", _WHOLE, 2),),
    "clickstream": (Goal("eddyline, exactly once", "kafka-streams, exactly once", _WARM, 1.5),),
    "notifications": (Goal("eddyline, exactly once", "kafka-streams, exactly once", _WARM, 1.5),),
    "latency": (
        Goal(_LATEST, "spark", "p50 ms", 0.5, at_most=True),
        Goal(_LATEST, "spark", "p99 ms", 0.6, at_most=True),
        Goal(_LATEST, "spark", "first result s", 0.6, at_most=True),
    ),
}


def print_goals(workload: str, rows: Sequence[Row]) -> None:
    """Print the goals of a workload whose programs have been measured.

    A program without a rate when warm is compared by that of its whole run.
    """
    found = {row["program"]: row for row in rows}
    for goal in _GOALS.get(workload, ()):
        (own, _), (other, measure) = (_value(found.get(name, {}), goal.measure) for name in (goal.program, goal.peer))
        if own and other:
            beside = f"{goal.peer}, {measure}" if measure != goal.measure else goal.peer
            what = f"{workload}, {goal.measure}: {goal.program} beside {beside}"
            print_goal(what, own / other, goal.limit, at_most=goal.at_most)


def _value(row: Row, measure: str) -> tuple[float | None, str]:
    value = row.get(measure)
    return (row.get(_WHOLE), _WHOLE) if value is None and measure == _WARM else (value, measure)
