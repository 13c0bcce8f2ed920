"""Marks that a program prints when it has reached a point of its work, so that it can be measured from outside."""

import time
from collections.abc import Iterable
from typing import NamedTuple


class Batch(NamedTuple):
    """The end of a batch: when it was in seconds since the epoch, and the records and results that are done then."""

    at: float
    records: int
    results: int


def mark(name: str, at: float | None = None, *, done: int = 0) -> None:
    """Print a mark: `first` (the first input record is read), `quarter` or `last` (all results are written).

    `done` is the number of records that are done then, for programs that work in batches.
    """
    print(f"MARK {name} {time.time() if at is None else at:.3f} {done}", flush=True)


def mark_batch(records: int, results: int) -> None:
    """Print that a batch has ended; `records` and `results` are those of the run so far."""
    print(f"BATCH {time.time():.3f} {records} {results}", flush=True)


def batches_in(lines: Iterable[str]) -> list[Batch]:
    """Return the batches that a program has printed."""
    found = (line.split("BATCH ", 1)[1].split() for line in lines if "BATCH " in line)
    return [Batch(float(at), int(records), int(results)) for at, records, results in found]
