"""Runs a topology of a few steps on the memory engine, for the tests of single operators."""

from collections.abc import Callable, Iterable
from typing import Any

from eddyline.adapters.memory.engine import MemoryEngine
from eddyline.application.topology import Stream, TopologyBuilder

Seen = tuple[Any, Any, int]


def engine_for(define: Callable[[TopologyBuilder], object], **options: Any) -> MemoryEngine:
    """An engine that runs what `define` says."""
    builder = TopologyBuilder()
    define(builder)
    return MemoryEngine(builder.build(), **options)


def run_stream(step: Callable[[Stream[str, Any]], Stream[Any, Any]], records: Iterable[Seen]) -> list[Seen]:
    """What comes out of a step on a stream of (key, value, timestamp)."""
    engine = engine_for(lambda builder: step(builder.stream("in", key=str, value=object)).to("out"))
    for key, value, timestamp in records:
        engine.pipe("in", key, value, timestamp)
    return seen(engine)


def seen(engine: MemoryEngine, topic: str | None = None) -> list[Seen]:
    """Key, value and timestamp of what was given to topics."""
    return [(output.key, output.value, output.timestamp) for output in engine.outputs(topic)]
