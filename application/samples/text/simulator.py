"""Simulated lines of text."""

from typing import Annotated

from eddyline.application.samples.simulation.events import (
    Timeline,
    weights_by_rank,
)

_WORDS = (
    *("the", "stream", "of", "events", "flows", "and", "table", "a", "window", "to", "key", "state", "is", "late", "time"),
    *("join", "topic", "record", "order", "water", "river", "eddy", "turns", "current", "again", "store", "count", "naïve"),
)
_ENDS = (".", ".", "!", "?", " ...", "")
_MAX_GAP_MS = 400


def simulate_word_count(timeline: Timeline, *, lines: Annotated[int, "Number of lines."] = 1_000) -> None:
    """Simulate lines of 3 to 12 words, in which few words are frequent and most are rare."""
    rng, start_ms = timeline.rng, timeline.start_ms
    weights, at = weights_by_rank(len(_WORDS)), start_ms
    for _ in range(lines):
        line = " ".join(rng.choices(_WORDS, weights, k=rng.randint(3, 12)))
        timeline.add("text-lines", None, line.capitalize() + rng.choice(_ENDS), at)
        at += rng.randint(1, _MAX_GAP_MS)
