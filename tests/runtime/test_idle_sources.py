"""Stream time follows the wall clock while all sources upstream are idle."""

from typing import Any

import pytest

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.application.topology import TopologyBuilder
from eddyline.application.topology.errors import TopologyError
from eddyline.application.topology.graph import with_idle_timeout
from eddyline.application.topology.stores import versioned_key_value_store
from eddyline.application.topology.windows import (
    join_windows,
    on_window_close,
    session,
    sliding,
    tumbling,
    until_time_limit,
    until_window_closes,
)
from tests.adapters.memory.running import built
from tests.runtime.idle_flows import closing, emitted, engine_of, read


@pytest.mark.parametrize(
    ("windows", "closes_after"), [(tumbling(60, grace=10), 25), (sliding(60, grace=10), 11), (session(60, grace=10), 71)]
)
def test_a_window_closes_when_the_wall_clock_has_moved_on_as_far_as_stream_time_must(windows: Any, closes_after: int) -> None:
    engine = engine_of(lambda builder: closing(read(builder, timeout=1), windows).to("out"))
    engine.pipe("a", "k", "v", 105)
    engine.advance_wall_clock(closes_after - 1)
    assert emitted(engine) == []
    engine.advance_wall_clock(1)
    assert emitted(engine) == [("k", 1, 105)]


def test_the_wall_clock_counts_from_the_last_record_however_old_events_are() -> None:
    engine = engine_of(lambda builder: closing(read(builder)).to("out"), wall_clock_ms=1_700_000_000_000)
    engine.pipe("a", "k", "v", 5)
    engine.advance_wall_clock(54)
    assert emitted(engine) == []
    engine.advance_wall_clock(1)
    assert emitted(engine) == [("k", 1, 5)]


def test_the_greatest_event_time_counts_not_the_last() -> None:
    engine = engine_of(lambda builder: closing(read(builder)).to("out"))
    engine.pipe("a", "k", "v", 29)
    engine.pipe("a", "k", "v", 5)
    engine.advance_wall_clock(31)
    assert emitted(engine) == [("k", 2, 29)]


def test_a_record_with_the_lag_of_the_last_one_is_not_late_and_an_older_one_is() -> None:
    engine = engine_of(lambda builder: closing(read(builder)).to("out"))
    engine.pipe("a", "k", "v", 5)
    engine.advance_wall_clock(90)
    engine.take_outputs()
    engine.pipe("a", "k", "v", 95)
    assert engine.drops == {}
    engine.pipe("a", "k", "v", 59)
    assert engine.drops == {("counts-count", "late"): 1}


def test_a_closed_window_is_emitted_once() -> None:
    engine = engine_of(lambda builder: closing(read(builder)).to("out"))
    engine.pipe("a", "k", "v", 5)
    for _ in range(5):
        engine.advance_wall_clock(100)
    engine.pipe("a", "k", "v", 1_000)
    assert emitted(engine) == [("k", 1, 5)]


def test_a_result_without_a_record_has_no_headers() -> None:
    engine = engine_of(lambda builder: closing(read(builder)).to("out"))
    engine.pipe("a", "k", "v", 5, (("h", b"1"),))
    engine.advance_wall_clock(100)
    assert [output.headers for output in engine.take_outputs()] == [()]


def test_a_session_that_was_closed_takes_no_more_records() -> None:
    def define(builder: TopologyBuilder) -> None:
        read(builder).group_by_key().windowed_by(session(60, grace=0)).count(store="counts").to_stream().to("out")

    engine = engine_of(define)
    engine.pipe("a", "k", "v", 5)
    engine.advance_wall_clock(61)
    engine.pipe("a", "k", "v", 65)
    assert [found.key.window for found in engine.take_outputs()] == [(5, 5), (65, 65)]


def test_windows_that_emit_every_update_close_as_well() -> None:
    def define(builder: TopologyBuilder) -> None:
        read(builder).group_by_key().windowed_by(tumbling(60, grace=0)).count(store="counts").to_stream().to("out")

    engine = engine_of(define)
    engine.pipe("a", "k", "v", 5)
    engine.advance_wall_clock(55)
    engine.pipe("a", "k", "v", 6)
    assert engine.drops == {("counts-count", "late"): 1}


@pytest.mark.parametrize("emit", ["every-update", "latest"])
def test_panes_close_as_well(emit: Any) -> None:
    def define(builder: TopologyBuilder) -> None:
        windowed = read(builder).group_by_key().windowed_by(tumbling(60, grace=0))
        windowed.count(store="counts").to_stream().to("out")

    engine = engine_of(define, emit=emit)
    engine.pipe_all([("a", "k", "v", 5)])
    engine.advance_wall_clock(55)
    engine.pipe_all([("a", "k", "v", 6)])
    assert engine.drops == {("counts-count", "late"): 1}
    assert emitted(engine) == [("k", 1, 5)]


@pytest.mark.parametrize("emit", ["every-update", "latest"])
@pytest.mark.parametrize(("until", "advance"), [(until_window_closes(), 55), (until_time_limit(40), 40)], ids=["closes", "limit"])
def test_suppressed_updates_are_emitted(until: Any, advance: int, emit: Any) -> None:
    def define(builder: TopologyBuilder) -> None:
        counts = read(builder).group_by_key().windowed_by(tumbling(60, grace=0)).count(store="counts")
        counts.suppress(until).to_stream().to("out")

    engine = engine_of(define, emit=emit)
    engine.pipe("a", "k", "v", 5)
    engine.pipe("a", "k", "v", 5)
    engine.advance_wall_clock(advance - 1)
    assert emitted(engine) == []
    engine.advance_wall_clock(1)
    engine.commit()
    assert emitted(engine) == [("k", 2, 5)]


@pytest.mark.parametrize(("topic", "advance", "expected"), [("a", 26, "v/None"), ("b", 31, "None/v")])
def test_records_without_a_match_are_emitted(topic: str, advance: int, expected: str) -> None:
    def define(builder: TopologyBuilder) -> None:
        within = join_windows(before=25, after=20, grace=5)
        left, right = read(builder, timeout=1), read(builder, "b", timeout=1)
        left.outer_join(right, lambda left, right: f"{left}/{right}", windows=within, value=str, name="joined").to("out")

    engine = engine_of(define)
    engine.pipe(topic, "k", "v", 5)
    engine.advance_wall_clock(advance - 1)
    assert emitted(engine) == []
    engine.advance_wall_clock(1)
    assert emitted(engine) == [("k", expected, 5)]


def test_records_that_wait_for_versions_are_joined_and_the_table_is_not_waited_for() -> None:
    def define(builder: TopologyBuilder) -> None:
        rows = builder.table("rows", key=str, value=str, store=versioned_key_value_store("versions", history_retention=100))
        read(builder).join(rows, lambda left, right: left + right, grace=40, value=str).to("out")

    engine = engine_of(define)
    engine.pipe("rows", "k", "row", 3)
    engine.pipe("a", "k", "v", 5)
    engine.advance_wall_clock(39)
    assert emitted(engine) == []
    engine.advance_wall_clock(1)
    assert emitted(engine) == [("k", "vrow", 5)]


def test_final_results_are_not_late_downstream_though_stream_time_jumps() -> None:
    def define(builder: TopologyBuilder) -> None:
        finals = closing(read(builder), tumbling(60, grace=20), store="minutes")
        again = finals.group_by(lambda _key, count: str(count), key=str, name="by-count")
        again.windowed_by(tumbling(1, grace=0), emit_strategy=on_window_close()).count(store="again").to_stream().to("out")

    engine = engine_of(define)
    for key, event_time in (("k", 5), ("l", 59), ("m", 60), ("n", 119), ("o", 121)):
        engine.pipe("a", key, "v", event_time)
    for _ in range(3):
        engine.advance_wall_clock(70)
    engine.advance_wall_clock(1_000)
    assert engine.drops == {}
    assert sorted(emitted(engine)) == [("1", 1, 5), ("1", 1, 59), ("1", 1, 60), ("1", 1, 119), ("1", 1, 121)]


def test_the_setting_is_for_sources_without_an_idle_timeout() -> None:
    topology = built(lambda builder: closing(read(builder, "a", timeout=7).merge(read(builder, "b", timeout=None))).to("out"))
    nodes = with_idle_timeout(topology, 9).by_name
    assert [getattr(nodes[name], "idle_timeout_ms", None) for name in ("a", "b")] == [7, 9]
    assert with_idle_timeout(topology, None) is topology


@pytest.mark.parametrize("timeout", [0, -1, "soon", 1.5])
def test_an_invalid_idle_timeout_is_an_error_that_names_the_topic(timeout: Any) -> None:
    with pytest.raises(TopologyError, match="the idle timeout of topic 'a' must be"):
        read(TopologyBuilder(), timeout=timeout)


def test_reading_a_topic_with_two_idle_timeouts_is_an_error() -> None:
    builder = TopologyBuilder()
    read(builder, timeout=1_000)
    with pytest.raises(TopologyError, match="first with idle_timeout=1000, then with idle_timeout=2000"):
        read(builder, timeout=2_000)


def test_a_record_that_fails_does_not_count_as_processed() -> None:
    def define(builder: TopologyBuilder) -> None:
        checked = read(builder).map_values(lambda value: str(1 // len(value)), value=str)
        closing(checked).to("out")

    engine = engine_of(define, processing_exception_handler="continue", codecs=JsonCodecs())
    engine.pipe("a", "k", "v", 5)
    engine.advance_wall_clock(20)
    engine.pipe("a", "k", "", 50)
    assert len(engine.failures) == 1
    engine.advance_wall_clock(34)
    assert emitted(engine) == []
    engine.advance_wall_clock(1)
    assert emitted(engine) == [("k", 1, 5)]


def test_a_result_that_fails_when_its_window_closes_is_passed_to_the_handler() -> None:
    def define(builder: TopologyBuilder) -> None:
        closing(read(builder)).map_values(lambda count: 1 // (count - 1), value=int).to("out")

    engine = engine_of(define, processing_exception_handler="continue", codecs=JsonCodecs())
    engine.pipe("a", "k", "v", 5)
    engine.pipe("a", "l", "v", 5)
    engine.pipe("a", "l", "v", 5)
    engine.advance_wall_clock(60)
    assert [failure.context.operator for failure in engine.failures] == ["counts-map-values"]
    assert emitted(engine) == [("l", 1, 5)]


def test_a_clock_that_is_set_back_advances_nothing() -> None:
    engine = engine_of(lambda builder: closing(read(builder)).to("out"))
    engine.pipe("a", "k", "v", 5)
    engine.advance_wall_clock(-1_000)
    engine.advance_wall_clock(1_029)
    assert emitted(engine) == []
