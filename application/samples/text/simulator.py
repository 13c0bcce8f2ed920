"""Lines of text, as people type them."""

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
_GAP_MS = 400


def simulate_word_count(
    *, seed: Seed = 0, start_ms: Start = START_MS, lines: Annotated[int, "How many lines are typed."] = 1_000
) -> Iterator[SimulatedEvent]:
    """Lines of 3 to 12 words, a few words often and most seldom. Raises SimulationError."""
    check_at_least("lines", lines, 0)
    rng = random_numbers("word-count", seed)
    timeline, weights, at = Timeline(rng), weights_by_rank(len(_WORDS)), start_ms
    for _ in range(lines):
        line = " ".join(rng.choices(_WORDS, weights, k=rng.randint(3, 12)))
        timeline.add("text-lines", None, line.capitalize() + rng.choice(_ENDS), at)
        at += rng.randint(1, _GAP_MS)
    return timeline.events()
