"""What a change of a topology means for the state that the previous version has left."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from eddyline import Topology, TopologyBuilder, hopping, join_windows, session, sliding, tumbling
from eddyline.application.samples.catalogue import FLOWS
from eddyline.application.topology.evolution import Change, DescriptionError, Verdict, changes, described, from_json
from eddyline.application.topology.stores import key_value_store, versioned_key_value_store, window_store
from tests.topology.evolving_types import Renamed, Stats, StatsWithRequired, StatsWithTotal

SAFE, REBUILDS, BREAKS = Verdict.SAFE, Verdict.REBUILDS, Verdict.BREAKS


def compared(old: Topology, new: Topology) -> tuple[Change, ...]:
    stored = json.loads(json.dumps(described(old).as_json()))
    return changes(from_json(stored), described(new))


def worst(old: Topology, new: Topology) -> tuple[Verdict, str]:
    first = compared(old, new)[0]
    return first.verdict, first.text


def built(*steps: Callable[[TopologyBuilder], object]) -> Topology:
    builder = TopologyBuilder()
    for step in steps:
        step(builder)
    return builder.build()


def counting(
    windows: Any = None, *, key: Any = str, value: Any = int, store: Any = "counts", name: str | None = None
) -> Topology:
    builder = TopologyBuilder()
    grouped = builder.stream("trades", key=key, value=int).group_by_key()
    if windows is not None:
        grouped = grouped.windowed_by(windows)

    def initial() -> Any:
        return value()

    grouped.aggregate(initial, lambda old, _new: old, value=value, store=store, name=name, merge=lambda left, _right: left)
    return builder.build()


@pytest.mark.parametrize("flow", FLOWS, ids=lambda flow: flow.name)
def test_a_description_survives_json_and_a_flow_has_no_changes_to_itself(flow: Any) -> None:
    description = described(flow.topology())
    assert from_json(json.loads(json.dumps(description.as_json()))) == description
    assert compared(flow.topology(), flow.topology()) == ()


@pytest.mark.parametrize(
    ("old", "new", "verdict", "text"),
    [
        (counting(), counting(tumbling(10, grace=0)), BREAKS, "was a key-value store and is a window store now"),
        (
            counting(tumbling(10, grace=0)),
            counting(session(10, grace=0)),
            BREAKS,
            "was a window store and is a session store now",
        ),
        (
            counting(),
            counting(store=versioned_key_value_store("counts", history_retention=9)),
            BREAKS,
            "is a versioned store now",
        ),
        (
            counting(tumbling(10, grace=0)),
            counting(tumbling(20, grace=0)),
            BREAKS,
            "had windows TimeWindows(size_ms=10, advance_ms=10) and has TimeWindows(size_ms=20, advance_ms=20) now",
        ),
        (counting(hopping(10, advance=5, grace=0)), counting(hopping(10, advance=2, grace=0)), BREAKS, "advance_ms=2) now"),
        (counting(hopping(10, advance=5, grace=0)), counting(sliding(10, grace=0)), BREAKS, "has SlidingWindows("),
        (counting(session(10, grace=0)), counting(session(20, grace=0)), BREAKS, "has SessionWindows(gap_ms=20) now"),
        (counting(tumbling(10, grace=0)), counting(tumbling(10, grace=5)), SAFE, "keeps entries for 15 ms, 10 ms before"),
        (counting(tumbling(10, grace=5)), counting(tumbling(10, grace=0)), REBUILDS, "older ones are dropped"),
        (counting(key=str), counting(key=int), BREAKS, "the keys of store 'counts' were str and are int now"),
        (counting(key=str), counting(key=int), BREAKS, "not be found; give it another name than 'counts' to start empty"),
        (counting(key=Stats), counting(key=StatsWithTotal), BREAKS, "entries would not be found"),
        (counting(value=Stats), counting(value=StatsWithTotal), SAFE, "field 'total' is new; it has its default in old entries"),
        (counting(value=Stats), counting(value=StatsWithRequired), BREAKS, "field 'total' is new and has no default"),
        (counting(value=StatsWithTotal), counting(value=Stats), BREAKS, "field 'total' is gone"),
        (counting(value=Stats), counting(value=Renamed), BREAKS, "field 'count' is gone"),
        (counting(value=int), counting(value=str), BREAKS, "the type was int and is str now"),
        (counting(value=int), counting(value=float), SAFE, "the type was int and is float now"),
        (counting(), counting(store="other"), REBUILDS, 'pass store="counts" in place of "other"'),
        (
            counting(tumbling(10, grace=0), name="first"),
            counting(tumbling(10, grace=0), name="second"),
            BREAKS,
            "operator 'first' (window aggregate) is gone or has another name, but its stream time is stored under this name",
        ),
        (counting(name="first"), counting(name="second"), SAFE, "operator 'first' (aggregate) is gone"),
    ],
)
def test_each_change_of_a_store_has_a_verdict(old: Topology, new: Topology, verdict: Verdict, text: str) -> None:
    found = worst(old, new)
    assert found[0] is verdict, found
    assert text in found[1]


def test_operators_without_state_are_safe_to_add_and_remove() -> None:
    plain = built(lambda builder: builder.stream("in", key=str, value=str).to("out"))
    mapped = built(lambda builder: builder.stream("in", key=str, value=str).map_values(str.upper, name="upper").to("out"))
    assert [change.verdict for change in compared(plain, mapped)] == [SAFE]
    assert compared(mapped, plain) == ((SAFE, "operator 'upper' (map values) is gone", False),)


def test_other_topics_need_a_new_checkpoint_to_which_the_state_can_be_moved() -> None:
    one = built(lambda builder: builder.stream("in", key=str, value=str).group_by_key().count(store="counts"))
    two = built(
        lambda builder: (
            builder.stream("in", key=str, value=str)
            .merge(builder.stream("more", key=str, value=str))
            .group_by_key()
            .count(store="counts")
        )
    )
    found = [change for change in compared(one, two) if change.verdict is BREAKS]
    assert [change.movable for change in found] == [True]
    assert "the sub-topology that read 'in' reads 'in', 'more' now" in found[0].text


def test_new_and_removed_sub_topologies_are_named() -> None:
    one = built(lambda builder: builder.stream("a", key=str, value=str).to("out"))
    other = built(lambda builder: builder.stream("b", key=str, value=str).to("out"))
    found = [(change.text, change.movable) for change in compared(one, other) if change.verdict is BREAKS]
    assert found == [("the sub-topology that reads 'b' is new", True), ("the sub-topology that read 'a' is gone", True)]


def repartitioned(**options: Any) -> Topology:
    builder = TopologyBuilder()
    builder.stream("in", key=str, value=str).repartition(name="again", **options).group_by_key().count(store="counts")
    return builder.build()


def test_a_sub_topology_that_only_loads_global_tables_is_no_change() -> None:
    def rates(builder: TopologyBuilder) -> object:
        return builder.global_table("rates", key=str, value=int)

    assert compared(built(rates), built(rates)) == ()
    streamed = built(rates, lambda builder: builder.stream("lines", key=str, value=str).to("out"))
    assert worst(built(rates), streamed) == (BREAKS, "the sub-topology that reads 'lines' is new")


def test_another_number_of_partitions_breaks_state() -> None:
    verdict, text = worst(repartitioned(partitions=2), repartitioned(partitions=4))
    assert verdict is BREAKS
    assert "repartition topic 'again-repartition' had 2 partitions and has 4 now" in text


def test_another_partitioner_breaks_state() -> None:
    verdict, text = worst(repartitioned(), repartitioned(partitioner=lambda _key, _value, _number: 0))
    assert verdict is BREAKS
    assert "is partitioned by a partitioner now" in text


def with_processor_store(spec: Any) -> Topology:
    builder = TopologyBuilder()
    builder.add_state_store(spec)
    from eddyline import Processor  # noqa: PLC0415

    class Nothing(Processor[str, str, str, str]):
        def process(self, record: Any) -> None:
            del record

    builder.stream("in", key=str, value=str).process(Nothing, stores=[spec.name], name="process")
    return builder.build()


def test_the_stores_of_processors_are_compared_as_well() -> None:
    plain = with_processor_store(key_value_store("s", key=str, value=int))
    assert worst(plain, with_processor_store(key_value_store("s", key=str, value=int, timestamped=True))) == (
        BREAKS,
        "the values of store 's' have timestamps now; give it another name than 's' to start empty",
    )
    small, large = (window_store("s", key=str, value=int, retention=100, window_size=size) for size in (10, 20))
    assert worst(with_processor_store(small), with_processor_store(large))[0] is BREAKS


def test_a_store_moves_to_other_tasks_only_with_another_name() -> None:
    def by_key(builder: TopologyBuilder) -> None:
        builder.stream("in", key=str, value=str).group_by_key().count(store="counts")
        builder.stream("in-2", key=str, value=str).group_by(lambda _k, v: v, key=str, name="g").count(store="more")

    def by_value(builder: TopologyBuilder) -> None:
        builder.stream("in", key=str, value=str).group_by_key().count(store="more")
        builder.stream("in-2", key=str, value=str).group_by(lambda _k, v: v, key=str, name="g").count(store="counts")

    texts = [change.text for change in compared(built(by_key), built(by_value)) if change.verdict is BREAKS]
    assert any(
        "store 'counts' was in the sub-topology that reads 'in' and is in the one that reads 'g-repartition'" in t for t in texts
    )


def test_a_table_that_becomes_global_breaks_state() -> None:
    def copied(builder: TopologyBuilder) -> None:
        builder.stream("other", key=str, value=str).to("out")

    local = built(copied, lambda builder: builder.table("in", key=str, value=str, store="s"))
    everywhere = built(copied, lambda builder: builder.global_table("in", key=str, value=str, store="s"))
    assert any("store 's' is global now" in change.text for change in compared(local, everywhere))


def test_longer_join_windows_are_safe() -> None:
    def joined(before: int) -> Topology:
        builder = TopologyBuilder()
        left, right = (builder.stream(topic, key=str, value=str) for topic in ("left", "right"))
        left.join(right, lambda a, b: a + b, windows=join_windows(before=before, after=0, grace=0), name="j").to("out")
        return builder.build()

    assert {change.verdict for change in compared(joined(10), joined(20))} == {SAFE}


def test_a_store_that_was_removed_is_compared_when_it_comes_back() -> None:
    first, without, third = counting(value=int), counting(store="other"), counting(value=str)
    stored = described(without).following(described(first))
    assert not stored.stores["counts"].used
    assert any(change.verdict is BREAKS and "store 'counts'" in change.text for change in changes(stored, described(third)))
    assert any("store 'counts' is used again" in change.text for change in changes(stored, described(first)))


def test_the_schema_version_of_a_store_grows_with_its_type() -> None:
    first, second = described(counting(value=Stats)), described(counting(value=StatsWithTotal))
    assert first.following(None).stores["counts"].schema_version == 1
    later = second.following(first)
    assert later.stores["counts"].schema_version == 2
    assert second.following(later).stores["counts"].schema_version == 2


@pytest.mark.parametrize("data", [{}, [], {"format": 1}, {"format": 1, "stores": {"s": {}}}])
def test_other_data_is_no_description(data: Any) -> None:
    with pytest.raises(DescriptionError, match="no description of a topology"):
        from_json(data)


def test_a_description_of_another_format_is_refused() -> None:
    with pytest.raises(DescriptionError, match="a topology in format 9, but this version of eddyline reads format 1"):
        from_json({"format": 9})
