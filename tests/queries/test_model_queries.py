"""Queries of stores of all kinds."""

from threading import Thread
from typing import Any

import pytest

from eddyline.application.queries.answers import InvalidQueryError, NotFreshError, QueryError, UnknownStoreError
from eddyline.application.queries.combined import CombinedQueries
from eddyline.application.queries.state_queries import StateQueries
from eddyline.application.runtime.progress.store_rows import StoreRow
from eddyline.application.topology.stores import StoreKind
from eddyline.application.topology.windows import Window
from tests.queries.changelogs import Changelogs, Shelf

LEAST, GREATEST = -(1 << 63), (1 << 63) - 1


@pytest.fixture
def logs() -> Changelogs:
    logs = Changelogs()
    logs.write("stock", {"apple": (3, 10), "apricot": (4, 20), "banana": (5, 30), "zoë": (6, 40)})
    logs.write("by-number", {number: str(number) for number in (-70, -3, 0, 5, 40, 1 << 80)})
    logs.write("shelves", {Shelf("north", 2): 1, Shelf("north", 10): 2, Shelf("south", 1): 3})
    logs.write("sales", {("apple", 0): 1, ("apple", 10): 2, ("apple", 20): 3, ("banana", 0): 4})
    logs.write("visits", {("ann", 5, 9): 1, ("ann", 20, 30): 2, ("bob", 0, 0): 3})
    logs.write("prices", {("apple", 10): (1,), ("apple", 20): (2,), ("apple", 30): (None,), ("fig", 5): (7,), ("fig", 9): (8,)})
    logs.follower.catch_up()
    return logs


@pytest.fixture
def queries(logs: Changelogs) -> StateQueries:
    return logs.queries


def values(rows: Any) -> list[tuple[Any, Any]]:
    return [(row.key, row.value) for row in rows]


def all_pages(query: Any, limit: int) -> list[Any]:
    rows, cursor = [], None
    while True:
        answer = query(limit=limit, cursor=cursor)
        assert len(answer.rows) <= limit
        rows += answer.rows
        cursor = answer.cursor
        if cursor is None:
            return rows


def test_stores_are_listed_with_their_types_and_sizes(queries: StateQueries) -> None:
    assert [info.name for info in queries.stores()] == ["by-number", "prices", "sales", "shelves", "stock", "visits"]
    info = queries.store("shelves")
    assert [info.kind, info.key_type, info.value_type, info.partitions, info.entries] == [StoreKind.KEY_VALUE, Shelf, int, 1, 3]
    assert info.size_bytes > 3 * len('{"shop":"north","number":2}')


def test_a_key_has_its_row(queries: StateQueries) -> None:
    assert queries.get("stock", "banana").rows == [StoreRow("banana", 5, None, 30)]
    assert queries.get("shelves", Shelf("south", 1)).rows == [StoreRow(Shelf("south", 1), 3, None, None)]
    assert queries.get("stock", "cherry").rows == []


def test_a_key_is_found_at_once_if_it_has_one_row_and_the_ends_are_known(logs: Changelogs) -> None:
    combined = CombinedQueries({name: (logs.queries, name) for name in logs.topology.stores})
    assert not logs.queries.finds_at_once("stock")
    for store in ("stock", "sales"):
        logs.queries.freshness(store)
    assert logs.queries.finds_at_once("stock")
    assert combined.finds_at_once("stock")
    assert not logs.queries.finds_at_once("sales")
    assert not logs.queries.finds_at_once("nope")


def test_several_keys_have_their_rows_in_the_order_asked(queries: StateQueries) -> None:
    assert values(queries.get("by-number", 5, 99, -3, 5).rows) == [(5, "5"), (-3, "-3")]


def test_a_key_has_all_its_windows_sessions_and_versions(queries: StateQueries) -> None:
    assert [row.window for row in queries.get("sales", "apple").rows] == [Window(0, 10), Window(10, 20), Window(20, 30)]
    assert [row.window for row in queries.get("visits", "ann").rows] == [Window(5, 9), Window(20, 30)]
    assert [(row.value, row.timestamp, row.valid_to) for row in queries.get("prices", "apple").rows] == [(1, 10, 20), (2, 20, 30)]
    assert [(row.value, row.timestamp, row.valid_to) for row in queries.get("prices", "apple", "fig").rows] == [
        (1, 10, 20),
        (2, 20, 30),
        (7, 5, 9),
        (8, 9, None),
    ]


def test_a_range_is_in_key_order_and_includes_its_ends(queries: StateQueries) -> None:
    assert [row.key for row in queries.range("by-number").rows] == [-70, -3, 0, 5, 40, 1 << 80]
    assert [row.key for row in queries.range("by-number", -3, 40).rows] == [-3, 0, 5, 40]
    assert [row.key for row in queries.range("by-number", first=41).rows] == [1 << 80]
    assert [row.key for row in queries.range("stock", "apr", "b").rows] == ["apricot"]
    assert [row.key.number for row in queries.range("shelves", Shelf("north", 3)).rows] == [10, 1]
    assert queries.range("by-number", 5, -3).rows == []


@pytest.mark.parametrize("limit", [1, 2, 3, 100])
@pytest.mark.parametrize("store", ["stock", "by-number", "shelves", "sales", "visits", "prices"])
def test_pages_have_the_same_rows_as_one_answer(queries: StateQueries, store: str, limit: int) -> None:
    assert all_pages(lambda **page: queries.range(store, **page), limit) == list(queries.range(store).rows)
    assert all_pages(lambda **page: queries.latest(store, **page), limit) == list(queries.latest(store).rows)


def test_pages_go_on_while_entries_before_and_after_them_change(logs: Changelogs) -> None:
    first = logs.queries.range("stock", limit=2)
    assert first.cursor is not None
    logs.write("stock", {"aardvark": (1, 1), "apricot": None, "cherry": (1, 1)})
    logs.follower.catch_up()
    assert [row.key for row in logs.queries.range("stock", cursor=first.cursor).rows] == ["banana", "cherry", "zoë"]


@pytest.mark.parametrize("limit", [1, 2, 3, 5])
@pytest.mark.parametrize("store", ["stock", "sales", "visits", "prices"])
def test_pages_of_keys_have_the_same_rows_as_one_answer(queries: StateQueries, store: str, limit: int) -> None:
    keys = ("banana", "none", "tea", "apple", "ann", "rice")
    found = queries.get(store, *keys)
    assert (found.cursor, len(found.rows) > 1) == (None, True)
    assert all_pages(lambda **page: queries.get(store, *keys, **page), limit) == found.rows
    with pytest.raises(InvalidQueryError, match="belongs to another query"):
        queries.get(store, "other", cursor=queries.get(store, *keys, limit=1).cursor)


def test_pages_of_windows_have_the_same_rows_as_one_answer() -> None:
    logs = Changelogs(partitions=2)
    for partition in range(2):
        logs.write("sales", {("tea", start): start for start in range(0, 100, 10)}, partition=partition)
    logs.follower.catch_up()
    found = logs.queries.windows("sales", "tea", 15, 75).rows
    assert len(found) == 14
    for limit in (1, 2, 3, 13, 14, 15):
        assert all_pages(lambda **page: logs.queries.windows("sales", "tea", 15, 75, **page), limit) == found


def test_equal_keys_of_two_partitions_are_on_different_pages() -> None:
    logs = Changelogs(partitions=2)
    logs.write("stock", {"a": (1, 0)})
    logs.write("stock", {"a": (2, 0), "b": (3, 0)}, partition=1)
    logs.follower.catch_up()
    assert values(all_pages(lambda **page: logs.queries.range("stock", **page), 1)) == [("a", 1), ("a", 2), ("b", 3)]


def test_a_prefix_finds_texts_and_the_first_fields(queries: StateQueries) -> None:
    assert [row.key for row in queries.prefix("stock", "ap").rows] == ["apple", "apricot"]
    assert len(queries.prefix("stock", "").rows) == 4
    assert [row.key.number for row in queries.prefix("shelves", ("north",)).rows] == [2, 10]
    assert values(queries.prefix("shelves", ("north", 10)).rows) == [(Shelf("north", 10), 2)]
    assert [row.value for row in queries.prefix("sales", "b").rows] == [4]
    assert all_pages(lambda **page: queries.prefix("stock", "ap", **page), 1) == list(queries.prefix("stock", "ap").rows)


@pytest.mark.parametrize(
    ("first", "last", "starts"),
    [(0, 9, [0]), (9, 10, [0, 10]), (10, 19, [10]), (30, 99, []), (LEAST, GREATEST, [0, 10, 20])],
)
def test_windows_of_a_key_are_found_by_the_times_that_they_overlap(
    queries: StateQueries, first: int, last: int, starts: list[int]
) -> None:
    assert [row.window.start for row in queries.windows("sales", "apple", first, last).rows if row.window] == starts


def test_a_session_includes_its_end(queries: StateQueries) -> None:
    assert values(queries.windows("visits", "ann", 9, 19).rows) == [("ann", 1)]
    assert values(queries.windows("visits", "ann", 10, 19).rows) == []


@pytest.mark.parametrize(("as_of", "expected"), [(9, []), (10, [1]), (19, [1]), (20, [2]), (29, [2]), (30, []), (99, [])])
def test_a_version_is_valid_from_its_timestamp_to_the_next(queries: StateQueries, as_of: int, expected: list[int]) -> None:
    assert [row.value for row in queries.version("prices", "apple", as_of).rows] == expected


def test_the_latest_row_of_every_key_is_its_last_window_session_or_version(queries: StateQueries) -> None:
    assert [(row.key, row.value) for row in queries.latest("sales").rows] == [("apple", 3), ("banana", 4)]
    assert [(row.key, row.value) for row in queries.latest("visits").rows] == [("ann", 2), ("bob", 3)]
    assert queries.latest("prices").rows == [StoreRow("fig", 8, None, 9, None)]
    assert len(queries.latest("stock").rows) == 4


@pytest.mark.parametrize(
    ("query", "message"),
    [
        (lambda q: q.get("stock", 5), r"invalid key 5 for store 'stock': its keys are of type str"),
        (lambda q: q.get("stock", None), r"invalid key None for store 'stock'"),
        (lambda q: q.get("by-number", "5"), r"invalid key '5' for store 'by-number': its keys are of type int"),
        (lambda q: q.range("shelves", "north"), r"invalid key 'north' for store 'shelves': its keys are of type Shelf"),
        (lambda q: q.prefix("by-number", 5), r"keys of type int, .* 'by-number', have no prefixes; query a range instead"),
        (lambda q: q.prefix("shelves", ("north", 1, 2)), r"invalid prefix .* pass a tuple of the first of: str, int"),
        (lambda q: q.prefix("shelves", "north"), r"invalid prefix 'north' .* pass a tuple of the first of: str, int"),
        (lambda q: q.prefix("shelves", (1,)), r"invalid key 1 .* of type Shelf, with a part of type str here"),
        (lambda q: q.prefix("stock", 1), r"invalid key 1 for store 'stock': its keys are of type str"),
        (lambda q: q.range("stock", limit=0), r"invalid limit '0'; choose a number from 1 to 100000"),
        (lambda q: q.latest("stock", limit=100_001), r"invalid limit '100001'"),
        (lambda q: q.range("stock", cursor="x"), r"invalid cursor 'x' for store 'stock'; pass the cursor of the previous answer"),
        (lambda q: q.range("stock", cursor="ä"), r"invalid cursor 'ä'"),
        (lambda q: q.range("sales", cursor=q.range("stock", limit=1).cursor), r"invalid cursor '\S+' for store 'sales'"),
        (lambda q: q.range("stock", "b", cursor=q.range("stock", limit=1).cursor), r"cursor '\S+' belongs to another query"),
        (
            lambda q: q.windows("stock", "a", 0, 1),
            r"store 'stock' is a key-value store, not a window or session store; get the key",
        ),
        (lambda q: q.windows("sales", "a", 2, 1), r"the time '2' is after '1'; pass the earlier time first"),
        (lambda q: q.version("sales", "a", 1), r"store 'sales' is a window store, not a versioned store"),
        (
            lambda q: q.wait_for("stock", {"order": {0: 1}}, 0),
            r"topic 'order' is no source of store 'stock'; choose one .*orders",
        ),
        (lambda q: q.wait_for("stock", {"orders": {2: 1}}, 0), r"topic 'orders' has no partition 2; it has 0 to 1"),
    ],
)
def test_a_query_that_does_not_fit_the_store_is_an_error_with_the_choices(
    queries: StateQueries, query: Any, message: str
) -> None:
    with pytest.raises(InvalidQueryError, match=message):
        query(queries)


def test_an_unknown_store_is_an_error_with_the_nearest_name_or_all(queries: StateQueries) -> None:
    with pytest.raises(UnknownStoreError, match=r"unknown store 'stok'; did you mean 'stock'\?"):
        queries.get("stok", "apple")
    with pytest.raises(UnknownStoreError, match=r"unknown store 'xyz'; choose one of: .*by-number.*visits"):
        queries.freshness("xyz")


def test_a_store_without_a_changelog_is_an_error_that_says_how_to_get_one() -> None:
    logs = Changelogs()
    logs.follower.catch_up()
    assert logs.queries.stores() == []
    with pytest.raises(UnknownStoreError, match=r"store 'stock' has no changelog; run .* --serve, or .*changelog.stores=stock"):
        logs.queries.get("stock", "apple")


def test_an_answer_is_as_fresh_as_the_partition_that_is_farthest_behind() -> None:
    logs = Changelogs(partitions=2)
    logs.orders(0, 10)
    logs.orders(1, 7)
    logs.write("stock", {"a": (1, 0)})
    logs.progress("stock", 3, 9, 4, time_ms=300, stream_time=50)
    logs.progress("stock", 2, 5, 6, time_ms=200, stream_time=70, partition=1)
    logs.follower.catch_up()
    found = logs.queries.get("stock", "a").freshness
    assert [found.batch, found.batch_time, found.stream_time, found.restoring] == [2, 200, 70, False]
    assert [found.offsets, found.lag] == [{"orders": [5, 4]}, 5 + 3]


def test_a_partition_without_progress_includes_nothing() -> None:
    logs = Changelogs(partitions=2)
    logs.orders(1, 3)
    logs.progress("stock", 3, 0, 3)
    logs.follower.catch_up()
    found = logs.queries.freshness("stock")
    assert [found.batch, found.offsets, found.lag] == [None, {"orders": [0, 0]}, 3]


def test_waiting_for_offsets_ends_when_the_state_includes_them() -> None:
    logs = Changelogs()
    logs.orders(0, 5)
    logs.progress("stock", 0, 2, 0)
    logs.follower.start()
    assert logs.follower.wait_until(lambda: "stock" in logs.follower.stores, 30)
    found: list[Any] = []
    waiting = Thread(target=lambda: found.append(logs.queries.wait_for("stock", {"orders": {0: 5}}, 30)))
    waiting.start()
    logs.write("stock", {"a": (1, 0)})
    logs.progress("stock", 1, 5, 0)
    waiting.join()
    logs.follower.stop()
    assert found[0].offsets == {"orders": [5, 0]}
    assert values(logs.queries.get("stock", "a").rows) == [("a", 1)]


def test_waiting_too_long_is_an_error_with_what_is_missing() -> None:
    logs = Changelogs()
    logs.orders(0, 5)
    logs.progress("stock", 0, 2, 0)
    logs.follower.catch_up()
    assert logs.queries.wait_for("stock", {"orders": {0: 2}}, 0).offsets == {"orders": [2, 0]}
    with pytest.raises(NotFreshError, match=r"'stock' does not .* after 0 s: topic 'orders', partition 0 at 2 of 3; check"):
        logs.queries.wait_for("stock", {"orders": {0: 3}}, 0)


def test_an_entry_of_other_types_is_an_error_that_names_the_store(logs: Changelogs) -> None:
    logs.log.append("shop-stock-changelog", b'"bad"', b'"text"', 0)
    logs.follower.catch_up()
    with pytest.raises(QueryError, match="an entry of store 'stock' is not of the types of the flow"):
        logs.queries.get("stock", "bad")
