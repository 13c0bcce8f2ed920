"""The parts of several instances as one answer."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eddyline.application.queries.answers import Answer, Freshness, IncompleteError, RowPosition
from eddyline.application.queries.model_queries import ModelQueries
from eddyline.application.queries.parts import AnswerPart, combined_freshness, whole
from tests.fixtures.examples import examples
from tests.queries.changelogs import Changelogs
from tests.queries.test_follower import Group

FRESH = Freshness(batch=7, batch_time=70, stream_time=700, offsets={"orders": [5, 9]}, lag=6, restoring=False)
PARTITIONS = 4


def part(*partitions: int, rows: str = "", has_more: bool = False, freshness: Freshness = FRESH) -> AnswerPart:
    positions = [RowPosition(0, row.encode(), 0, 0, partitions[0]) for row in rows]
    return AnswerPart(list(rows), positions, partitions, has_more, freshness)


def test_rows_are_in_the_order_of_their_positions() -> None:
    found = whole("stock", 3, [part(0, rows="adf"), part(1, 2, rows="bce")], 10)
    assert ("".join(found.rows), found.cursor) == ("abcdef", None)


def test_the_first_rows_have_a_cursor_if_any_part_has_more() -> None:
    assert "".join(whole("stock", 2, [part(0, rows="ac"), part(1, rows="bd")], 3).rows) == "abc"
    assert whole("stock", 2, [part(0, rows="ac"), part(1, rows="bd")], 3).cursor is not None
    assert whole("stock", 2, [part(0, rows="ac"), part(1, rows="bd", has_more=True)], 4).cursor is not None
    assert whole("stock", 2, [part(0, rows="ac"), part(1, rows="bd")], 4).cursor is None


@pytest.mark.parametrize(
    ("parts", "problem"),
    [
        (
            [part(0)],
            (
                "^no instance holds partition 1, 2 of store 'stock' at the moment, since an instance has joined or left; its "
                "partitions move to the others within its session timeout, so try again$"
            ),
        ),
        ([part(0, 1), part()], "no instance holds partition 2 of store 'stock' at the moment"),
        ([], "no instance holds partition 0, 1, 2 of store 'stock' at the moment"),
        ([part(0, 1), part(1, 2)], "^partitions of store 'stock' are moving between instances; try again$"),
    ],
)
def test_parts_that_are_not_the_whole_are_no_answer(parts: list[AnswerPart], problem: str) -> None:
    with pytest.raises(IncompleteError, match=problem):
        whole("stock", 3, parts, 10)


def test_the_freshness_is_that_of_the_part_that_is_farthest_behind() -> None:
    later = Freshness(batch=9, batch_time=90, stream_time=650, offsets={"orders": [8, 7]}, lag=7, restoring=True)
    found = combined_freshness([FRESH, later])
    assert (found.batch, found.batch_time, found.stream_time, found.restoring) == (7, 70, 700, True)
    assert (found.offsets, found.lag) == ({"orders": [5, 7]}, 10)
    assert combined_freshness([FRESH]) == FRESH


def test_a_topic_or_a_partition_that_a_part_does_not_know_is_not_included() -> None:
    other = replace(FRESH, stream_time=None, offsets={"orders": [6], "returns": [4]}, lag=0)
    found = combined_freshness([replace(FRESH, stream_time=None), other])
    assert (found.offsets, found.lag, found.stream_time) == ({"orders": [5, 0], "returns": [0]}, 15, None)


def test_a_part_before_its_first_batch_includes_nothing() -> None:
    first = Freshness(batch=None, batch_time=None, stream_time=None, offsets={"orders": [0, 0]}, lag=20, restoring=True)
    found = combined_freshness([FRESH, first])
    assert (found.batch, found.batch_time, found.stream_time) == (None, None, 700)
    assert (found.offsets, found.lag) == ({"orders": [0, 0]}, 20)


def test_instances_without_partitions_do_not_count() -> None:
    idle = part(freshness=replace(FRESH, batch=None, lag=99, restoring=True))
    assert whole("stock", 1, [part(0, rows="a"), idle], 10).freshness == FRESH


Query = Callable[[ModelQueries, int, str | None], Answer]
QUERIES: dict[str, Query] = {
    "range": lambda queries, limit, cursor: queries.range("sales", "b", "y", limit=limit, cursor=cursor),
    "prefix": lambda queries, limit, cursor: queries.prefix("sales", "a", limit=limit, cursor=cursor),
    "latest": lambda queries, limit, cursor: queries.latest("sales", limit=limit, cursor=cursor),
    "keys": lambda queries, limit, cursor: queries.get("sales", "b", "a", "ab", "none", limit=limit, cursor=cursor),
    "windows": lambda queries, limit, cursor: queries.windows("sales", "a", 10, 39, limit=limit, cursor=cursor),
}


@settings(deadline=None, max_examples=examples(40))
@given(
    entries=st.lists(st.tuples(st.sampled_from(["a", "ab", "b", "ba", "m", "z"]), st.sampled_from([0, 10, 20, 30])), max_size=24),
    holders=st.lists(st.integers(0, 2), min_size=PARTITIONS, max_size=PARTITIONS),
    limit=st.integers(1, 7),
)
@pytest.mark.parametrize("name", QUERIES)
def test_any_division_of_the_partitions_gives_the_pages_of_one_instance(
    name: str, entries: list[tuple[str, int]], holders: list[int], limit: int
) -> None:
    """An entry is in the partition that its key chooses, as in a store that is partitioned by key."""
    single = Changelogs(partitions=PARTITIONS)
    single.create("sales")
    for number, (key, start) in enumerate(entries):
        single.write("sales", {(key, start): number}, partition=sum(key.encode()) % PARTITIONS)
    for partition in range(PARTITIONS):
        single.progress("sales", 1, 5, 5, partition=partition)
    single.follower.catch_up()
    shared = []
    for holder in range(3):
        group = Group(*(partition for partition, own in enumerate(holders) if own == holder), store="sales")
        instance = Changelogs(partitions=PARTITIONS, log=single.log, group=group)
        instance.follower.catch_up()
        shared.append(instance.queries)
    query, cursor = QUERIES[name], None
    while True:
        expected = query(single.queries, limit, cursor)
        answers = [query(queries, limit, cursor) for queries in shared]
        parts = [
            AnswerPart(answer.rows, answer.positions, answer.partitions, answer.cursor is not None, answer.freshness)
            for answer in answers
        ]
        found = whole("sales", PARTITIONS, parts, limit)
        assert (found.rows, found.cursor, found.freshness) == (expected.rows, expected.cursor, expected.freshness)
        cursor = found.cursor
        if cursor is None:
            return
