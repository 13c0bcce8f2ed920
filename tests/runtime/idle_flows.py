"""Flows whose sources have an idle timeout, run by the memory engine."""

from collections.abc import Callable
from typing import Any

from eddyline.application.topology import TopologyBuilder
from eddyline.application.topology.handles import Stream
from eddyline.application.topology.windows import (
    on_window_close,
    tumbling,
)
from eddyline.testing import MemoryEngine
from tests.adapters.memory.running import built

TIMEOUT = 30
START = 1_000_000


def read(builder: TopologyBuilder, topic: str = "a", *, timeout: int | None = TIMEOUT) -> Stream[str, str]:
    return builder.stream(topic, key=str, value=str, idle_timeout=timeout)


def closing(stream: Stream[str, str], windows: Any = None, store: str = "counts") -> Any:
    windowed = stream.group_by_key().windowed_by(windows or tumbling(60, grace=0), emit_strategy=on_window_close())
    return windowed.count(store=store).to_stream()


def engine_of(define: Callable[[TopologyBuilder], object], **options: Any) -> MemoryEngine:
    return MemoryEngine(built(define), **{"wall_clock_ms": START, **options})


def emitted(engine: MemoryEngine) -> list[tuple[Any, Any, int]]:
    return [(getattr(found.key, "key", found.key), found.value, found.timestamp) for found in engine.take_outputs()]
