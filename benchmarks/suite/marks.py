"""Marks that a program prints when it has reached a point of its work, so that it can be measured from outside."""

import time


def mark(name: str, at: float | None = None, *, done: int = 0) -> None:
    """Print a mark: `first` (the first input record is read), `quarter` or `last` (all results are written).

    `done` is the number of records that are done then, for programs that work in batches.
    """
    print(f"MARK {name} {time.time() if at is None else at:.3f} {done}", flush=True)
