"""Random events, and the updates that a topology emits for each, to be compared with those of a model."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from hypothesis import strategies as st

from eddyline.application.topology import Table, TopologyBuilder, Windowed
from eddyline.application.topology.handles import GroupedStream
from eddyline.testing import MemoryEngine

Update: TypeAlias = tuple[Any, Any, int]
"""Key, value and timestamp of an update."""


class Event(NamedTuple):
    """An event; `timestamp` in ms since the epoch."""

    key: str | None
    value: str | None
    timestamp: int


def events(max_timestamp: int, *, max_size: int = 40, null_values: bool = True) -> st.SearchStrategy[list[Event]]:
    """Return lists of events: out of order, with equal timestamps, some without a key or a value."""
    keys = st.sampled_from(["a", "a", "b", "b", "é", None])
    values = st.sampled_from(["x", "x", "x", None]) if null_values else st.just("x")
    return st.lists(st.builds(Event, keys, values, st.integers(0, max_timestamp)), max_size=max_size)


def engine_of(count: Callable[[GroupedStream[str, str]], Table[Any, int]]) -> MemoryEngine:
    """Return an engine that counts the events of topic `in` into topic `out`."""
    builder = TopologyBuilder()
    count(builder.stream("in", key=str, value=str).group_by_key()).to_stream().to("out")
    return MemoryEngine(builder.build())


def updates_of_each(engine: MemoryEngine, given_events: list[Event]) -> list[list[Update]]:
    """Return the updates that are emitted for each event."""
    updates = []
    for event in given_events:
        engine.pipe("in", *event)
        updates.append([(record.key, record.value, record.timestamp) for record in engine.take_outputs()])
    return updates


def table_of(engine: MemoryEngine, store: str = "counts") -> dict[Windowed[str], int]:
    """Return the rows of the store of a windowed count."""
    return {Windowed(row.key, row.window): row.value for row in engine.store(store) if row.window is not None}
