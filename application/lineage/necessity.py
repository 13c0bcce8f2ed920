"""Tests which of the inputs that were found a result needs, by replaying them alone."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from eddyline.application.lineage.origins import Origin

Reproduces: TypeAlias = Callable[[Sequence[Origin]], bool]
"""Replays input records alone and returns whether that gives the same result."""


class Budget:
    """How many records may be replayed for tests; `replays` counts the replays."""

    def __init__(self, records: int) -> None:
        self._left = records
        self.replays = 0

    def take(self, records: int) -> bool:
        """Return whether another replay of this many records may be done."""
        if records > self._left:
            return False
        self._left -= records
        self.replays += 1
        return True


def needed_of(
    certain: Sequence[Origin], possible: Iterable[Origin], reproduces: Reproduces, budget: Budget
) -> tuple[list[Origin], bool]:
    """Return those of the possible inputs that the result needs besides the certain ones, and whether all were tested.

    Halves, quarters and so on are left out as long as the result stays the same (delta debugging).
    """
    kept = sorted(possible, key=_number)
    size = len(kept)
    while kept and size:
        index = 0
        while index < len(kept):
            tried = kept[:index] + kept[index + size :]
            if not budget.take(len(certain) + len(tried)):
                return kept, False
            if reproduces([*certain, *tried]):
                kept = tried
            else:
                index += size
        size //= 2
    return kept, True


def neutral_of(inputs: Sequence[Origin], reproduces: Reproduces, budget: Budget) -> dict[int, bool]:
    """Return for the number of each input whether the result is the same without it, for as many as the budget allows."""
    found: dict[int, bool] = {}
    for index, origin in enumerate(inputs):
        if not budget.take(len(inputs) - 1):
            break
        found[origin.number] = reproduces([*inputs[:index], *inputs[index + 1 :]])
    return found


def _number(origin: Origin) -> int:
    return origin.number
