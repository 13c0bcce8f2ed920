"""Runs schedules of the simulated cluster: `python -m tests.simulation --engine spark --schedules 10000 --processes 2`."""

import argparse
import gc
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from typing import Any, Final

from tests.simulation import broken
from tests.simulation.local import broken as broken_local
from tests.simulation.local.schedule import LocalSchedule
from tests.simulation.schedule import Schedule
from tests.simulation.seeded_schedule import Outcome

_CHUNK = 50
_SCHEDULES: Final[Mapping[str, Callable[..., Any]]] = {"spark": Schedule, "local": LocalSchedule}
BROKEN: Final[Mapping[str, Mapping[str, Any]]] = {"spark": broken.BROKEN, "local": broken_local.BROKEN}
"""The broken protocols of each engine by name."""


def schedule_of(engine: str, seed: int, breaks: str | None = None, **options: Any) -> Any:
    """Return the schedule of a seed, with a protocol that is broken on purpose."""
    return _SCHEDULES[engine](seed, breaks=BROKEN[engine][breaks] if breaks else None, **options)


def run_schedules(seeds: range, breaks: str | None = None, engine: str = "spark") -> list[Outcome]:
    """Run the schedules of these seeds, and return those that found a violation."""
    found = []
    enabled = gc.isenabled()
    gc.disable()  # it takes a fifth of the time
    try:
        for count, seed in enumerate(seeds, 1):
            outcome = schedule_of(engine, seed, breaks).run()
            if outcome.violation:
                found.append(outcome)
            if count % _CHUNK == 0:
                gc.collect()
    finally:
        if enabled:
            gc.enable()
    return found


def fewest_faults(outcome: Outcome, breaks: str | None = None, engine: str = "spark") -> int:
    """Return a number of faults after which a failing schedule can do without any others, by bisection."""
    low, high = 0, outcome.faults
    while low < high:
        middle = (low + high) // 2
        if schedule_of(engine, outcome.seed, breaks, max_faults=middle).run().violation:
            high = middle
        else:
            low = middle + 1
    return high


def report(outcome: Outcome, breaks: str | None = None, engine: str = "spark") -> str:
    """Return what was violated and the command that replays the schedule."""
    options = f"{f' --break {breaks}' if breaks else ''}{f' --engine {engine}' if engine != 'spark' else ''}"
    faults = fewest_faults(outcome, breaks, engine)
    return f"{outcome.violation}\nreplay it with: python -m tests.simulation --seed {outcome.seed} --faults {faults}{options}"


def _replay(seed: int, faults: int | None, breaks: str | None, engine: str) -> int:
    outcome = schedule_of(engine, seed, breaks, max_faults=faults, traced=True).run()
    _write("\n".join(outcome.trace))
    _write(outcome.violation or f"no violation, {outcome.faults} faults")
    return 1 if outcome.violation else 0


def _write(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _failures(seeds: range, processes: int, breaks: str | None, engine: str) -> Iterator[Outcome]:
    chunks = [seeds[at : at + _CHUNK] for at in range(0, len(seeds), _CHUNK)]
    if processes == 1:
        for chunk in chunks:
            yield from run_schedules(chunk, breaks, engine)
        return
    with ProcessPoolExecutor(processes) as pool:
        for found in pool.map(run_schedules, chunks, repeat(breaks), repeat(engine)):
            yield from found


def main(arguments: list[str]) -> int:
    """Run what the arguments say; return 1 if there is a violation."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("--schedules", type=int, default=1_000, help="how many schedules to run (default: 1000)")
    parser.add_argument("--first", type=int, default=0, help="the seed of the first one (default: 0)")
    parser.add_argument("--processes", type=int, default=1, help="how many processes run them (default: 1)")
    parser.add_argument("--seed", type=int, help="replay the schedule of this seed and print its trace")
    parser.add_argument("--faults", type=int, help="with --seed: how many faults happen at most")
    parser.add_argument("--engine", choices=sorted(_SCHEDULES), default="spark", help="the engine (default: spark)")
    names = sorted({name for of_engine in BROKEN.values() for name in of_engine})
    parser.add_argument("--break", dest="breaks", choices=names, help="break the protocol on purpose")
    given = parser.parse_args(arguments)
    if given.breaks and given.breaks not in BROKEN[given.engine]:
        parser.error(f"--break {given.breaks} is not for --engine {given.engine}")
    if given.seed is not None:
        return _replay(given.seed, given.faults, given.breaks, given.engine)
    count = 0
    for outcome in _failures(range(given.first, given.first + given.schedules), given.processes, given.breaks, given.engine):
        count += 1
        _write(report(outcome, given.breaks, given.engine))
    _write(f"{given.schedules:,} schedules, {count} with a violation")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
