"""Runs topologies of a few operators in the memory engine, for the tests of single operators."""

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from eddyline.application.topology import Stream, TopologyBuilder
from eddyline.testing import MemoryEngine

Emitted: TypeAlias = tuple[Any, Any, int]
"""Key, value and timestamp of a record."""


def engine_for(define: Callable[[TopologyBuilder], object], **options: Any) -> MemoryEngine:
    """Return an engine for the topology that `define` builds."""
    builder = TopologyBuilder()
    define(builder)
    return MemoryEngine(builder.build(), **options)


def run_stream(operator: Callable[[Stream[str, Any]], Stream[Any, Any]], records: Iterable[Emitted]) -> list[Emitted]:
    """Return what an operator emits for a stream of records."""
    engine = engine_for(lambda builder: operator(builder.stream("in", key=str, value=object)).to("out"))
    for key, value, timestamp in records:
        engine.pipe("in", key, value, timestamp)
    return emitted(engine)


def emitted(engine: MemoryEngine, topic: str | None = None) -> list[Emitted]:
    """Return the records that an engine wrote to a topic, by default to all topics."""
    return [(output.key, output.value, output.timestamp) for output in engine.outputs(topic)]
