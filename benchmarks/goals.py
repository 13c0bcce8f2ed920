"""Goals of the benchmarks: lines of their output, which `python -m benchmarks.everything` repeats at its end."""

from collections.abc import Iterable
from typing import Final

_PREFIX: Final = "goal: "


def print_goal(what: str, found: float, limit: float, *, at_most: bool = False) -> None:
    """Print whether a goal is reached.

    Args:
        what: What was compared, such as "latest update beside Flink SQL, warm records/s".
        found: The ratio, or another number, that was measured.
        limit: What it should be at least.
        at_most: `limit` is what it should be at most.
    """
    reached = found <= limit if at_most else found >= limit
    verdict = "reached" if reached else "not reached"
    print(f"{_PREFIX}{what}: {found:.2f}, {'at most' if at_most else 'at least'} {limit:g}: {verdict}", flush=True)


def goals_in(lines: Iterable[str]) -> list[str]:
    """Return the goals in the output of a benchmark, with what was measured."""
    return [line.removeprefix(_PREFIX).strip() for line in lines if line.startswith(_PREFIX)]
