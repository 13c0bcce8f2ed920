"""The stores that have changelogs are chosen by name; a mistake is an error with the choices."""

import re
from typing import Any

import pytest

from eddyline import (
    Topology,
    TopologyBuilder,
    custom_store,
    join_windows,
    key_value_store,
    session_store,
    tumbling,
    versioned_key_value_store,
    window_store,
)
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.settings import Settings
from eddyline.adapters.wiring.runs import run_options
from eddyline.application.runtime.plan.changelogs import StoreChoice, changelog_topics, chosen_stores, store_choice
from eddyline.application.topology.errors import TopologyError
from eddyline.application.topology.graph import with_version
from eddyline.application.topology.processor import Processor
from eddyline.application.topology.stores import StoreKind
from tests.runtime.plans import run_plan


def left(value: str, _other: str) -> str:
    return value


def value_of(_key: str, value: str) -> str:
    return value


class Nothing(Processor[Any, Any, Any, Any]):
    def process(self, record: Any) -> None:
        """Ignore the record."""


def sales() -> Topology:
    return sales_builder().build()


def sales_builder() -> TopologyBuilder:
    """Return a topology with a global table, a join with buffers, and counts in a sub-topology of their own."""
    builder = TopologyBuilder()
    rates = builder.global_table("rates", key=str, value=str, store="rates")
    lines = builder.stream("lines", key=str, value=str)
    lines.join(rates, left, key_selector=value_of).to("rated")
    lines.join(builder.stream("others", key=str, value=str), left, windows=join_windows(before=5, after=5, grace=0)).to("joined")
    lines.select_key(value_of).group_by_key().count(store="counts").to_stream().to("counted")
    lines.group_by_key().count(store="lines-by-key").to_stream().to("counted")
    return builder


@pytest.mark.parametrize(
    ("text", "expected"), [("none", ()), ("all", "all"), ("counts", ("counts",)), (" a , b,", ("a", "b")), ("", ())]
)
def test_the_setting_is_none_all_or_names(text: str, expected: StoreChoice) -> None:
    assert store_choice(text) == expected
    assert run_options(Settings(changelog_stores=text), "app").changelog_stores == expected


def test_by_default_no_store_has_a_changelog() -> None:
    assert run_options(Settings(), "app").changelog_stores == ()
    assert chosen_stores(sales(), ()) == frozenset()


def test_stores_that_are_declared_queryable_always_have_a_changelog() -> None:
    builder = TopologyBuilder()
    builder.queryable("counts", "prices")
    lines = builder.stream("lines", key=str, value=str)
    lines.group_by_key().count(store="counts").to_stream().to("counted")
    lines.group_by_key().reduce(left, store="reduced").to_stream().to("reduced")
    lines.group_by_key().windowed_by(tumbling(10, grace=0)).count(store="per-window")
    builder.table("prices", key=str, value=str, store=versioned_key_value_store("prices", history_retention=10))
    builder.table("rates", key=str, value=str, store=versioned_key_value_store("rates", history_retention=10, queryable=True))
    topology = builder.build()
    assert chosen_stores(topology, ()) == {"counts", "prices", "rates"}
    assert chosen_stores(topology, ("per-window",)) == {"counts", "prices", "rates", "per-window"}
    assert chosen_stores(topology, "all") == {"counts", "prices", "rates", "per-window", "reduced"}
    assert topology.stores["prices"].kind is StoreKind.VERSIONED
    assert chosen_stores(with_version(topology, "v2"), ()) == {"counts", "prices", "rates"}


def test_every_kind_of_store_can_be_declared_queryable() -> None:
    stores = [
        key_value_store("values", key=str, value=str, queryable=True),
        window_store("windows", key=str, value=str, retention=10, window_size=10, queryable=True),
        session_store("sessions", key=str, value=str, retention=10, queryable=True),
        versioned_key_value_store("versions", key=str, value=str, history_retention=10, queryable=True),
        custom_store("custom", Nothing, key=str, value=str, queryable=True),
        key_value_store("others", key=str, value=str),
    ]
    builder = TopologyBuilder()
    builder.add_source("source", "lines", key=str, value=str)
    for store in stores:
        builder.add_state_store(store)
    builder.add_processor("work", Nothing, parents=["source"], stores=[store.name for store in stores])
    assert chosen_stores(builder.build(), ()) == {store.name for store in stores} - {"others"}


@pytest.mark.parametrize(
    ("store", "problem"),
    [
        ("count", "does not exist"),
        ("rates", "belongs to a global table, whose topic can be read instead"),
        ("lines-others-join-left-store", "is a buffer of an operator"),
    ],
)
def test_a_store_that_cannot_be_queryable_is_an_error_with_the_choices(store: str, problem: str) -> None:
    builder = sales_builder()
    builder.queryable(store)
    with pytest.raises(
        TopologyError, match=f"store '{store}' cannot be queryable: it {problem}; choose one of: counts, lines-by-key"
    ):
        builder.build()


def test_all_stores_are_those_that_can_be_queried() -> None:
    assert chosen_stores(sales(), "all") == {"counts", "lines-by-key"}


@pytest.mark.parametrize(
    ("name", "problem"), [("count", "'count' is unknown"), ("rates", "'rates' belongs to a global table, whose topic is its")]
)
def test_a_store_without_a_changelog_is_an_error_with_the_choices(name: str, problem: str) -> None:
    log = log_with_topics()
    with pytest.raises(TopologyError, match=f"store {problem}.*; choose one of: all, none, .*counts, .*lines-by-key"):
        run_plan(sales(), log, changelog_stores=("counts", name))


def log_with_topics(**partitions: int) -> MemoryEventLog:
    log = MemoryEventLog()
    for topic in ("lines", "others", "rates"):
        log.create_topic(topic, partitions.get(topic, 1))
    return log


def test_a_changelog_has_a_partition_for_each_task_of_its_sub_topology() -> None:
    plan = run_plan(sales(), log_with_topics(lines=3, others=3, rates=5), changelog_stores="all")
    assert plan.changelog_partitions == {"app-counts-changelog": 3, "app-lines-by-key-changelog": 3}
    (of_lines, of_counts) = sorted(plan.changelogs)
    assert plan.changelogs[of_lines] == {"lines-by-key": "app-lines-by-key-changelog"}
    assert plan.changelogs[of_counts] == {"counts": "app-counts-changelog"}


def test_a_reset_deletes_the_changelogs_of_all_stores_but_those_of_global_tables() -> None:
    topics = changelog_topics(sales(), "app")
    assert {"app-counts-changelog", "app-lines-by-key-changelog"} < set(topics)
    assert "app-rates-changelog" not in topics


def test_a_pattern_does_not_match_the_changelogs_of_the_flow_itself() -> None:
    builder = TopologyBuilder()
    read: Any = builder.stream(re.compile(".*"), key=str, value=str)
    read.group_by_key().count(store="counts").to_stream().to("counted")
    log = MemoryEventLog()
    for topic in ("lines", "app-counts-changelog", "tables-changelog"):
        log.create_topic(topic, 1)
    assert run_plan(builder.build(), log, changelog_stores="all").log_topics() == ["lines", "tables-changelog"]
