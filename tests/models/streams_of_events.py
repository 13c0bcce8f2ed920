"""Random events, and what a topology makes of each: what models are compared with."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from hypothesis import strategies as st

from eddyline.adapters.memory.engine import MemoryEngine
from eddyline.application.topology import Table, TopologyBuilder, Windowed
from eddyline.application.topology.handles import GroupedStream

Update: TypeAlias = tuple[Any, Any, int]
"""Key, value and timestamp of what came out."""


class Event(NamedTuple):
    """What comes in; `timestamp` in ms since the epoch."""

    key: str | None
    value: str | None
    timestamp: int


def events(longest_ms: int, *, most: int = 40, null_values: bool = True) -> st.SearchStrategy[list[Event]]:
    """Events out of order, at equal times, now and then without a key or a value."""
    keys = st.sampled_from(["a", "a", "b", "b", "é", None])
    values = st.sampled_from(["x", "x", "x", None]) if null_values else st.just("x")
    return st.lists(st.builds(Event, keys, values, st.integers(0, longest_ms)), max_size=most)


def engine_of(count: Callable[[GroupedStream[str, str]], Table[Any, int]]) -> MemoryEngine:
    """An engine that counts the topic `in`, in one way or another, into the topic `out`."""
    builder = TopologyBuilder()
    count(builder.stream("in", key=str, value=str).group_by_key()).to_stream().to("out")
    return MemoryEngine(builder.build())


def updates_of_each(engine: MemoryEngine, given: list[Event]) -> list[list[Update]]:
    """What comes out after each event."""
    found = []
    for event in given:
        engine.pipe("in", *event)
        found.append([(record.key, record.value, record.timestamp) for record in engine.take_outputs()])
    return found


def table_of(engine: MemoryEngine, store: str = "counts") -> dict[Windowed[str], int]:
    """The store of a windowed count at the end."""
    return {Windowed(row.key, row.window): row.value for row in engine.store(store) if row.window is not None}
