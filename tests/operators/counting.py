"""Counts in windows, for the tests of windows and of what hangs on them."""

from collections.abc import Callable
from typing import Any

from eddyline.adapters.memory.engine import MemoryEngine
from eddyline.application.topology import Table, TopologyBuilder
from eddyline.application.topology.grouped import GroupedStream
from tests.operators.running import engine_for

Shown = tuple[Any, ...]
"""Key, start, end, value and timestamp of a windowed update."""


def counting(count: Callable[[GroupedStream[str, str]], Table[Any, Any]]) -> MemoryEngine:
    """An engine that counts the topic `in` into the topic `out`."""

    def define(builder: TopologyBuilder) -> None:
        count(builder.stream("in", key=str, value=str).group_by_key()).to_stream().to("out")

    return engine_for(define)


def after(engine: MemoryEngine, key: str | None, timestamp: int, value: str | None = "x") -> list[Shown]:
    """What comes out after one more record."""
    engine.pipe("in", key, value, timestamp)
    return [(record.key.key, *record.key.window, record.value, record.timestamp) for record in engine.take_outputs()]
