"""Folding in sessions."""

from eddyline.application.topology import session
from tests.operators.counting import after, counting


def test_events_a_gap_apart_are_of_one_session_and_further_apart_of_two() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(session(10, grace=0)).count())
    after(engine, "a", 0)
    assert after(engine, "a", 10) == [("a", 0, 0, None, 0), ("a", 0, 10, 2, 10)]
    assert after(engine, "a", 21) == [("a", 21, 21, 1, 21)]


def test_an_event_between_two_sessions_merges_them() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(session(10, grace=50)).count(store="counts"))
    after(engine, "a", 0)
    after(engine, "a", 20)
    assert after(engine, "a", 10) == [("a", 0, 0, None, 0), ("a", 20, 20, None, 20), ("a", 0, 20, 3, 20)]
    assert [(row.window, row.value) for row in engine.store("counts")] == [((0, 20), 3)]


def test_a_session_of_one_moment_changes_without_a_tombstone() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(session(10, grace=0)).count())
    after(engine, "a", 5)
    assert after(engine, "a", 5) == [("a", 5, 5, 2, 5)]


def test_an_event_inside_a_session_brings_a_tombstone_of_the_same_bounds() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(session(10, grace=0)).count())
    after(engine, "a", 0)
    after(engine, "a", 10)
    assert after(engine, "a", 5) == [("a", 0, 10, None, 10), ("a", 0, 10, 3, 10)]


def test_an_event_is_late_by_where_its_session_ends() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(session(10, grace=0)).count(store="counts"))
    after(engine, "a", 20)
    after(engine, "b", 25)
    assert after(engine, "a", 12) == [("a", 20, 20, None, 20), ("a", 12, 20, 2, 20)]
    assert after(engine, "c", 14) == []
    assert engine.drops == {("counts-count", "late"): 1}


def test_reduce_merges_sessions_by_its_reducer() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(session(10, grace=50)).reduce(lambda one, other: one + other))
    after(engine, "a", 0, "x")
    after(engine, "a", 20, "y")
    assert after(engine, "a", 10, "z")[-1] == ("a", 0, 20, "xyz", 20)


def test_aggregate_merges_sessions_by_their_ends_into_a_new_one_and_adds_the_event_last() -> None:
    engine = counting(
        lambda grouped: grouped.windowed_by(session(10, grace=50)).aggregate(
            str, lambda key, so_far, value: f"{so_far}{key}{value}", merge=lambda one, other: f"{one}{other}|", with_key=True
        )
    )
    after(engine, "a", 20, "2")
    after(engine, "a", 0, "0")
    assert after(engine, "a", 10, "1")[-1] == ("a", 0, 20, "a0|a2|a1", 20)
