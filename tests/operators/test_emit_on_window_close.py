"""Results of windows that leave once, when their window is closed."""

from eddyline.application.topology import hopping, on_window_close, session, sliding, tumbling
from tests.operators.counting import after, counting


def test_a_result_leaves_with_the_record_that_closes_its_window() -> None:
    engine = counting(
        lambda grouped: grouped.windowed_by(tumbling(10, grace=2), emit_strategy=on_window_close()).count(store="counts")
    )
    assert after(engine, "a", 1) == after(engine, "a", 11) == after(engine, "a", 5) == []
    assert after(engine, "b", 12) == [("a", 0, 10, 2, 5)]
    assert after(engine, "a", 5) == []
    assert engine.drops == {("counts-count", "late"): 1}


def test_results_leave_by_window_start_then_key() -> None:
    engine = counting(
        lambda grouped: grouped.windowed_by(hopping(10, advance=5, grace=50), emit_strategy=on_window_close()).count()
    )
    for key, timestamp in (("é", 7), ("b", 7), ("a", 12)):
        after(engine, key, timestamp)
    assert [shown[:2] for shown in after(engine, "a", 100)] == [("b", 0), ("é", 0), ("a", 5), ("b", 5), ("é", 5), ("a", 10)]


def test_a_jump_in_time_loses_no_result() -> None:
    for windows, key in ((tumbling(10, grace=0), ("a", 0, 10)), (sliding(10, grace=0), ("a", 0, 10))):
        engine = counting(lambda grouped, w=windows: grouped.windowed_by(w, emit_strategy=on_window_close()).count())  # type: ignore[misc]
        after(engine, "a", 1)
        assert after(engine, "a", 1_000_000) == [(*key, 1, 1)]


def test_a_jump_in_time_loses_no_session() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(session(10, grace=0), emit_strategy=on_window_close()).count())
    after(engine, "a", 1)
    after(engine, "a", 6)
    assert after(engine, "b", 1_000_000) == [("a", 1, 6, 2, 6)]


def test_sliding_windows_and_sessions_leave_a_millisecond_later_since_their_ends_are_inclusive() -> None:
    slid = counting(lambda grouped: grouped.windowed_by(sliding(10, grace=0), emit_strategy=on_window_close()).count())
    after(slid, "a", 50)
    assert after(slid, "b", 50) == []
    assert after(slid, "b", 51) == [("a", 40, 50, 1, 50), ("b", 40, 50, 1, 50)]
    sessions = counting(
        lambda grouped: grouped.windowed_by(session(10, grace=0), retention_ms=1_000, emit_strategy=on_window_close()).count()
    )
    after(sessions, "a", 50)
    assert after(sessions, "b", 60) == []
    assert after(sessions, "b", 61) == [("a", 50, 50, 1, 50)]


def test_sessions_leave_by_end_then_start_then_key() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(session(10, grace=50), emit_strategy=on_window_close()).count())
    for key, timestamp in (("b", 3), ("a", 2), ("b", 9), ("a", 9), ("c", 5)):
        after(engine, key, timestamp)
    assert [shown[:3] for shown in after(engine, "z", 500)] == [("c", 5, 5), ("a", 2, 9), ("b", 3, 9)]


def test_looks_at_what_has_closed_are_kept_apart_by_the_wall_clock() -> None:
    engine = counting(
        lambda grouped: grouped.windowed_by(
            tumbling(10, grace=0), retention_ms=1_000, emit_strategy=on_window_close(emit_interval=100)
        ).count()
    )
    after(engine, "a", 1)
    assert after(engine, "a", 11) == []
    engine.advance_wall_clock(99)
    assert after(engine, "a", 12) == []
    engine.advance_wall_clock(1)
    assert after(engine, "a", 13) == [("a", 0, 10, 1, 1)]
    engine.advance_wall_clock(99)
    assert after(engine, "a", 25) == []


def test_what_the_store_would_let_go_of_does_not_wait_for_the_next_look() -> None:
    engine = counting(
        lambda grouped: grouped.windowed_by(tumbling(10, grace=0), emit_strategy=on_window_close(emit_interval=100)).count()
    )
    after(engine, "a", 1)
    assert after(engine, "a", 11) == [("a", 0, 10, 1, 1)]


def test_a_session_too_late_for_the_store_is_dropped_with_the_reason() -> None:
    engine = counting(
        lambda grouped: grouped.windowed_by(session(10, grace=0), emit_strategy=on_window_close()).count(store="counts")
    )
    after(engine, "a", 30)
    assert after(engine, "b", 20) == []
    assert engine.drops == {("counts-count", "expired"): 1}
