"""Keeps the cyclic garbage collection of Python from stopping the loop for long."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_THRESHOLDS: Final = (10_000, 20, 100)
"""New objects, and collections of a younger generation, after which a generation is collected.

A collection of 10,000 objects stops the loop for a few milliseconds, one of 50,000 for 15 to 40. With 5,000, all collections
together take twice the time.
"""


@contextmanager
def rare_garbage_collection() -> Iterator[None]:
    """Collect cyclic garbage rarely meanwhile; most of what records leave is freed by its reference counts at once."""
    before = gc.get_threshold()
    gc.set_threshold(*_THRESHOLDS)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def keep_what_exists() -> None:
    """Leave what exists now out of later collections: code, and state that was restored."""
    gc.collect()
    gc.freeze()
