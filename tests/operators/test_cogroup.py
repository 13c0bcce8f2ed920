"""cogroup: several grouped streams aggregated into one table."""

from typing import Any

import pytest

from eddyline.application.runtime.progress.store_rows import StoreRow
from eddyline.application.topology import TopologyBuilder, TopologyError, Windowed, session, tumbling
from eddyline.application.topology.handles import CogroupedStream
from eddyline.application.topology.windows import Window
from eddyline.testing import MemoryEngine
from tests.operators.running import emitted, engine_for

Lines = list[str]


def clicked(lines: Lines, page: str) -> Lines:
    return [*lines, f"click {page}"]


def bought(user: str, lines: Lines, item: str) -> Lines:
    return [*lines, f"{user} buys {item}"]


def cogrouped(builder: TopologyBuilder) -> CogroupedStream[str, Lines]:
    clicks = builder.stream("clicks", key=str, value=str).group_by_key()
    purchases = builder.stream("purchases", key=str, value=str).group_by_key()
    return clicks.cogroup(clicked).cogroup(purchases, bought, with_key=True)


def aggregating(aggregate: Any, **options: Any) -> MemoryEngine:
    return engine_for(lambda builder: aggregate(cogrouped(builder)).to_stream().to("out"), **options)


def test_each_stream_adds_to_one_aggregate_with_its_own_adder() -> None:
    engine = aggregating(lambda groups: groups.aggregate(Lines, value=list, store="together"))
    engine.pipe("clicks", "ann", "home", 10)
    engine.pipe("purchases", "ann", "book", 5)
    assert emitted(engine) == [("ann", ["click home"], 10), ("ann", ["click home", "ann buys book"], 10)]
    assert engine.store("together") == [StoreRow("ann", ["click home", "ann buys book"], None, 10)]


def test_records_with_null_keys_or_null_values_are_dropped_and_counted_by_stream() -> None:
    engine = aggregating(lambda groups: groups.aggregate(Lines, value=list, store="together"))
    engine.pipe("clicks", None, "home", 0)
    engine.pipe("purchases", "ann", None, 0)
    assert engine.drops == {("together-cogroup-0", "null-key"): 1, ("together-cogroup-1", "null-value"): 1}


def test_each_windowed_stream_has_its_own_stream_time() -> None:
    windows = tumbling(10, grace=0)
    engine = aggregating(lambda groups: groups.windowed_by(windows).aggregate(Lines, value=list, store="together"))
    engine.pipe("clicks", "ann", "home", 12)
    engine.pipe("purchases", "ann", "book", 3)
    engine.pipe("clicks", "ann", "late", 3)
    first, second = (Windowed("ann", Window(start, start + 10)) for start in (0, 10))
    assert emitted(engine) == [(second, ["click home"], 12), (first, ["ann buys book"], 3)]


def test_records_of_different_streams_share_sessions() -> None:
    def aggregate(groups: CogroupedStream[str, Lines]) -> Any:
        return groups.windowed_by(session(5, grace=100)).aggregate(Lines, merge=Lines.__add__, value=list, store="together")

    engine = aggregating(aggregate)
    for topic, time in [("clicks", 0), ("clicks", 8), ("purchases", 4)]:
        engine.pipe(topic, "ann", "x", time)
    assert engine.store("together") == [StoreRow("ann", ["click x", "click x", "ann buys x"], Window(0, 8), None)]


def test_with_emit_latest_only_the_latest_update_of_all_streams_is_emitted() -> None:
    engine = aggregating(lambda groups: groups.aggregate(Lines, value=list, store="together"), emit="latest")
    for topic in ("clicks", "purchases", "clicks"):
        engine.pipe(topic, "ann", "x", 0)
    engine.commit()
    assert emitted(engine) == [("ann", ["click x", "ann buys x", "click x"], 0)]


def test_two_streams_that_are_both_repartitioned_need_names() -> None:
    builder = TopologyBuilder()
    one = builder.stream("one", key=str, value=str).group_by(lambda _key, value: value, key=str)
    other = builder.stream("other", key=str, value=str).group_by(lambda _key, value: value, key=str)
    with pytest.raises(
        TopologyError, match="two grouped streams would share the repartition topic 'both-repartition'; pass another name="
    ):
        one.cogroup(clicked).cogroup(other, clicked).aggregate(Lines, value=list, store="both")


def test_the_result_type_must_be_known() -> None:
    builder = TopologyBuilder()
    clicks = builder.stream("clicks", key=str, value=str).group_by_key()
    with pytest.raises(TopologyError, match=r"result type of operator 'clicks-cogroup' is unknown.*pass value= to aggregate"):
        clicks.cogroup(lambda lines, line: [*lines, line]).aggregate(lambda: ["first"])
