"""cogroup: several grouped streams folded into one table."""

from typing import Any

import pytest

from eddyline.adapters.memory.engine import MemoryEngine
from eddyline.application.runtime.store_rows import StoreRow
from eddyline.application.topology import TopologyBuilder, TopologyError, Windowed, session, tumbling
from eddyline.application.topology.cogrouped import CogroupedStream
from eddyline.application.topology.windows import Window
from tests.operators.running import engine_for, seen

Lines = list[str]


def clicked(lines: Lines, page: str) -> Lines:
    return [*lines, f"click {page}"]


def bought(user: str, lines: Lines, item: str) -> Lines:
    return [*lines, f"{user} buys {item}"]


def cogrouped(builder: TopologyBuilder) -> CogroupedStream[str, Lines]:
    clicks = builder.stream("clicks", key=str, value=str).group_by_key()
    purchases = builder.stream("purchases", key=str, value=str).group_by_key()
    return clicks.cogroup(clicked).cogroup(purchases, bought, with_key=True)


def folding(fold: Any, **options: Any) -> MemoryEngine:
    return engine_for(lambda builder: fold(cogrouped(builder)).to_stream().to("out"), **options)


def test_each_stream_adds_in_its_own_way_to_one_aggregate() -> None:
    engine = folding(lambda groups: groups.aggregate(Lines, value=list, store="together"))
    engine.pipe("clicks", "ann", "home", 10)
    engine.pipe("purchases", "ann", "book", 5)
    assert seen(engine) == [("ann", ["click home"], 10), ("ann", ["click home", "ann buys book"], 10)]
    assert engine.store("together") == [StoreRow("ann", ["click home", "ann buys book"], None, 10)]


def test_null_keys_and_null_values_are_dropped_and_counted_by_stream() -> None:
    engine = folding(lambda groups: groups.aggregate(Lines, value=list, store="together"))
    engine.pipe("clicks", None, "home", 0)
    engine.pipe("purchases", "ann", None, 0)
    assert engine.drops == {("together-cogroup-0", "null-key"): 1, ("together-cogroup-1", "null-value"): 1}


def test_in_windows_each_stream_has_a_time_of_its_own() -> None:
    windows = tumbling(10, grace=0)
    engine = folding(lambda groups: groups.windowed_by(windows).aggregate(Lines, value=list, store="together"))
    engine.pipe("clicks", "ann", "home", 12)
    engine.pipe("purchases", "ann", "book", 3)
    engine.pipe("clicks", "ann", "late", 3)
    first, second = (Windowed("ann", Window(start, start + 10)) for start in (0, 10))
    assert seen(engine) == [(second, ["click home"], 12), (first, ["ann buys book"], 3)]


def test_sessions_of_several_streams_are_merged() -> None:
    def fold(groups: CogroupedStream[str, Lines]) -> Any:
        return groups.windowed_by(session(5, grace=100)).aggregate(Lines, merge=Lines.__add__, value=list, store="together")

    engine = folding(fold)
    for topic, time in [("clicks", 0), ("clicks", 8), ("purchases", 4)]:
        engine.pipe(topic, "ann", "x", time)
    assert engine.store("together") == [StoreRow("ann", ["click x", "click x", "ann buys x"], Window(0, 8), None)]


def test_with_emit_latest_the_last_update_of_all_streams_leaves() -> None:
    engine = folding(lambda groups: groups.aggregate(Lines, value=list, store="together"), emit="latest")
    for topic in ("clicks", "purchases", "clicks"):
        engine.pipe(topic, "ann", "x", 0)
    engine.commit()
    assert seen(engine) == [("ann", ["click x", "ann buys x", "click x"], 0)]


def test_two_streams_that_both_have_to_be_moved_need_names() -> None:
    builder = TopologyBuilder()
    one = builder.stream("one", key=str, value=str).group_by(lambda _key, value: value, key=str)
    other = builder.stream("other", key=str, value=str).group_by(lambda _key, value: value, key=str)
    with pytest.raises(TopologyError, match="two groups would be moved through the topic 'both-repartition'; name one of them"):
        one.cogroup(clicked).cogroup(other, clicked).aggregate(Lines, value=list, store="both")


def test_an_unknown_type_of_the_aggregate_is_named_with_the_cure() -> None:
    builder = TopologyBuilder()
    clicks = builder.stream("clicks", key=str, value=str).group_by_key()
    with pytest.raises(TopologyError, match=r"type that step 'clicks-cogroup' folds into is not known.*give value= to aggregate"):
        clicks.cogroup(clicked).aggregate(lambda: ["first"])
