"""Windowed counts, for the tests of windows and of operators on windowed tables."""

from collections.abc import Callable
from typing import Any, TypeAlias

from eddyline.application.topology import Table, TopologyBuilder
from eddyline.application.topology.handles import GroupedStream
from eddyline.testing import MemoryEngine
from tests.operators.running import engine_for

Update: TypeAlias = tuple[Any, ...]
"""Key, window start, window end, value and timestamp of an update of a windowed table."""


def counting(count: Callable[[GroupedStream[str, str]], Table[Any, Any]]) -> MemoryEngine:
    """Return an engine that counts the records of topic `in` into topic `out`."""

    def define(builder: TopologyBuilder) -> None:
        count(builder.stream("in", key=str, value=str).group_by_key()).to_stream().to("out")

    return engine_for(define)


def pipe(engine: MemoryEngine, key: str | None, timestamp: int, value: str | None = "x") -> list[Update]:
    """Pipe a record into topic `in` and return the updates that it causes."""
    engine.pipe("in", key, value, timestamp)
    return [(record.key.key, *record.key.window, record.value, record.timestamp) for record in engine.take_outputs()]
