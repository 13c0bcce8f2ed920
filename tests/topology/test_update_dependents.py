from collections.abc import Callable
from operator import add
from typing import Any

import pytest

from eddyline import (
    Flow,
    Processor,
    Record,
    TopologyBuilder,
    ValueTransformerWithKey,
    join_windows,
    on_window_close,
    tumbling,
    until_time_limit,
    until_window_closes,
)
from eddyline.application.topology import Stream, Table


class Ignoring(Processor[str, int, str, int]):
    def process(self, record: Record[str, int]) -> None:
        """Forward nothing."""


class EverySecond(ValueTransformerWithKey[str, int, int]):
    """Changes the value with every second update."""

    calls = 0

    def transform(self, key: str, value: int | None) -> int | None:
        del key
        self.calls += 1
        return value if self.calls % 2 else 0


def seen(define: Callable[[Table[str, int], TopologyBuilder], Any], caching: bool | None = None) -> list[tuple[str, str]]:
    builder = TopologyBuilder()
    define(
        builder.stream("views", key=str, value=int).group_by_key(name="by-page").count(store="counts", caching=caching), builder
    )
    return [(dependent.operator, dependent.table) for dependent in builder.build().update_dependents("latest")]


def summed(stream: Stream[str, int]) -> None:
    stream.group_by_key().reduce(lambda one, other: one + other, store="sums")


def regrouped(stream: Stream[str, int]) -> None:
    stream.group_by(lambda page, _count: page[:1], key=str, name="by-letter").count(store="letters")


def joined(stream: Stream[str, int], builder: TopologyBuilder) -> None:
    other = builder.stream("clicks", key=str, value=int)
    stream.join(other, add, windows=join_windows(before=5_000, after=5_000, grace=0), name="pairs")


@pytest.mark.parametrize(
    ("name", "define"),
    [
        ("third", lambda counts, _: counts.to_stream().filter(lambda _page, count: count == 3, name="third").to("out")),
        ("others", lambda counts, _: counts.to_stream().filter_not(lambda _page, count: count == 3, name="others")),
        ("print", lambda counts, _: counts.to_stream().map_values(str).peek(print, name="print").to("out")),
        ("ignore", lambda counts, _: counts.to_stream().process(Ignoring, name="ignore")),
        ("sampled", lambda counts, _: counts.transform_values(EverySecond, name="sampled").to_stream().to("out")),
        ("sums-reduce", lambda counts, _: summed(counts.to_stream())),
        ("letters-count", lambda counts, _: regrouped(counts.to_stream())),
        ("pairs", lambda counts, builder: joined(counts.to_stream(), builder)),
        ("big", lambda counts, _: counts.map_values(abs).to_stream().filter(lambda _page, count: count > 9, name="big")),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_operator_on_the_updates_of_a_table_depends_on_them(
    name: str, define: Callable[[Table[str, int], TopologyBuilder], Any]
) -> None:
    assert (name, "counts-count") in seen(define)
    assert (name, "counts-count") in seen(define, caching=True)
    assert seen(define, caching=False) == []


@pytest.mark.parametrize(
    "define",
    [
        lambda counts, _: counts.to_stream().map_values(str).to("out"),
        lambda counts, _: counts.filter(lambda _page, count: count > 3).to_stream().to("out"),
        lambda counts, _: counts.group_by(lambda page, count: (page[:1], count), key=str, value=int, name="g").count(),
    ],
    ids=["map_values", "table filter", "table aggregation"],
)
def test_what_gives_the_same_final_result_does_not(define: Callable[[Table[str, int], TopologyBuilder], Any]) -> None:
    assert seen(define) == []


def test_only_the_first_operator_of_a_path_is_named() -> None:
    def define(counts: Table[str, int], _builder: TopologyBuilder) -> None:
        stream = counts.to_stream().filter(lambda _page, count: count > 3, name="first")
        stream.filter(lambda _page, count: count > 9, name="second").to("out")

    assert seen(define) == [("first", "counts-count")]


def test_final_results_do_not_depend_on_updates() -> None:
    def windowed(**options: Any) -> TopologyBuilder:
        builder = TopologyBuilder()
        suppressed = options.pop("suppressed", None)
        groups = builder.stream("views", key=str, value=int).group_by_key()
        table = groups.windowed_by(tumbling(1_000, grace=0), **options).count(store="counts")
        table = table if suppressed is None else table.suppress(suppressed)
        table.to_stream().filter(lambda _page, count: count > 3, name="often").to("out")
        return builder

    assert [found.operator for found in windowed().build().update_dependents("latest")] == ["often"]
    assert windowed(suppressed=until_window_closes()).build().update_dependents("latest") == ()
    assert windowed(emit_strategy=on_window_close()).build().update_dependents("latest") == ()
    limited = windowed(suppressed=until_time_limit(1_000, max_records=5)).build()
    assert [found.operator for found in limited.update_dependents("latest")] == ["often"]


def test_a_table_that_is_read_from_a_topic_depends_on_the_run_alone() -> None:
    def define(builder: TopologyBuilder) -> None:
        builder.table("profiles", key=str, value=int).to_stream().filter(lambda _user, age: age > 17, name="adults").to("out")

    assert Flow("adults", "Adults.", define).topology().update_dependents() == ()
    assert [found.operator for found in Flow("adults", "Adults.", define, emit="latest").topology().update_dependents()] == [
        "adults"
    ]
    assert Flow("adults", "Adults.", define, emit="latest").topology().update_dependents("every-update") == ()
