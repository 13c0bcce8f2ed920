"""Tables whose time windows have different sizes are joined by key and start of the window, as in Kafka Streams."""

from typing import Any

import pytest

from eddyline import Table, TopologyBuilder, Windowed, session, tumbling
from eddyline.adapters.memory.engine import MemoryEngine
from eddyline.application.topology import Window


def _counts(builder: TopologyBuilder, topic: str, windows: Any) -> Table[Windowed[str], int]:
    counts: Any = builder.stream(topic, key=str, value=str).group_by_key().windowed_by(windows).count(store=topic)
    return counts  # type: ignore[no-any-return]


def _pair(left: int | None, right: int | None) -> str:
    return f"{left}/{right}"


def _last(engine: MemoryEngine) -> dict[Any, Any]:
    return {output.key: output.value for output in engine.outputs("out")}


@pytest.mark.parametrize("stored", [True, False])
@pytest.mark.parametrize("joined", [True, False])
def test_the_rows_of_windows_that_start_together_are_joined(*, stored: bool, joined: bool) -> None:
    builder = TopologyBuilder()
    left, right = _counts(builder, "left", tumbling(10, grace=100)), _counts(builder, "right", tumbling(20, grace=100))
    if stored:
        right = right.map_values(lambda count: count * 10, value=int, store="tens")
    result = left.outer_join(right, _pair, value=str, store="joined" if joined else None)
    result.to_stream().to("out")
    engine = MemoryEngine(builder.build())
    for topic, time in (("left", 1), ("right", 2), ("right", 12), ("left", 11), ("left", 21), ("right", 41)):
        engine.pipe(topic, "a", "x", timestamp=time)
    first = "1/20" if stored else "1/2"
    last = "None/10" if stored else "None/1"
    expected = {0: first, 10: "1/None", 20: "1/None", 40: last}
    assert _last(engine) == {Windowed("a", Window(start, start + 10)): value for start, value in expected.items()}


def test_updates_of_one_window_find_rows_of_another_size_in_a_chain_of_joins() -> None:
    builder = TopologyBuilder()
    tables = [_counts(builder, topic, tumbling(size, grace=0)) for topic, size in (("one", 10), ("two", 20), ("three", 30))]
    both = tables[0].join(tables[1], _pair, value=str)
    tables[2].join(both, lambda count, pair: f"{count}/{pair}", value=str).to_stream().to("out")
    engine = MemoryEngine(builder.build())
    for topic in ("one", "three", "two", "one"):
        engine.pipe(topic, "a", "x", timestamp=5)
    assert _last(engine) == {Windowed("a", Window(0, 30)): "1/2/1"}


def test_the_rows_of_a_table_are_joined_with_a_stream_of_other_windows() -> None:
    builder = TopologyBuilder()
    counts = _counts(builder, "left", tumbling(10, grace=0)).to_stream()
    table = _counts(builder, "right", tumbling(20, grace=0)).map_values(lambda count: count * 10, value=int, store="tens")
    counts.join(table, _pair, value=str).to("out")
    engine = MemoryEngine(builder.build())
    engine.pipe("right", "a", "x", timestamp=3)
    engine.pipe("left", "a", "x", timestamp=5)
    assert _last(engine) == {Windowed("a", Window(0, 10)): "1/10"}


def test_sessions_are_joined_by_both_ends() -> None:
    builder = TopologyBuilder()
    left, right = _counts(builder, "left", session(5, grace=0)), _counts(builder, "right", session(50, grace=0))
    left.join(right, _pair, value=str).to_stream().to("out")
    engine = MemoryEngine(builder.build())
    for topic, time in (("left", 1), ("right", 1), ("right", 40)):
        engine.pipe(topic, "a", "x", timestamp=time)
    assert [output.value for output in engine.outputs("out")] == ["1/1", None]
