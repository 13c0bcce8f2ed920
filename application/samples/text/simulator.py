"""Simulated lines of text."""

from collections.abc import Iterator
from typing import Annotated

from eddyline.application.samples.simulation.events import (
    START_MS,
    Seed,
    SimulatedEvent,
    Start,
    Timeline,
    check_at_least,
    random_numbers,
    weights_by_rank,
)

_WORDS = (
    *("the", "stream", "of", "events", "flows", "and", "table", "a", "window", "to", "key", "state", "is", "late", "time"),
    *("join", "topic", "record", "order", "water", "river", "eddy", "turns", "current", "again", "store", "count", "naïve"),
)
_ENDS = (".", ".", "!", "?", " ...", "")
_MAX_GAP_MS = 400


def simulate_word_count(
    *, seed: Seed = 0, start_ms: Start = START_MS, lines: Annotated[int, "Number of lines."] = 1_000
) -> Iterator[SimulatedEvent]:
    """Simulate lines of 3 to 12 words, in which few words are frequent and most are rare.

    Raises:
        SimulationError: A setting is out of range.
    """
    check_at_least("lines", lines, 0)
    rng = random_numbers("word-count", seed)
    timeline, weights, at = Timeline(rng), weights_by_rank(len(_WORDS)), start_ms
    for _ in range(lines):
        line = " ".join(rng.choices(_WORDS, weights, k=rng.randint(3, 12)))
        timeline.add("text-lines", None, line.capitalize() + rng.choice(_ENDS), at)
        at += rng.randint(1, _MAX_GAP_MS)
    return timeline.events()
