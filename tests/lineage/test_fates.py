"""What became of an input record."""

from collections.abc import Callable
from typing import Any

import pytest

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.application.lineage.documents import Documents
from eddyline.application.lineage.explanation import Fate
from eddyline.application.lineage.limits import UnknownSubjectError
from eddyline.application.lineage.retention import record_at
from eddyline.application.ports.event_log import Position
from eddyline.application.topology import (
    TopologyBuilder,
    hopping,
    join_windows,
    on_window_close,
    session,
    sliding,
    tumbling,
    until_window_closes,
)
from eddyline.application.topology.stores import key_value_store
from tests.lineage.explaining import Input, Ran
from tests.lineage.operator_flows import Summing

T = "1970-01-01T00:00:00.0"
LATE = "counts-count dropped it as late by"
NOW = "1970-01-01T00:00:00.100Z"


def fate(
    define: Callable[[TopologyBuilder], object], *inputs: tuple[str, object, object, int], offset: int = 0, **options: Any
) -> Fate:
    """Return what became of a record of topic `a`."""
    builder = TopologyBuilder()
    define(builder)
    flow = Ran(builder.build(), (Input(*record) for record in inputs), **options)
    return flow.lineage.explain_missing(Position("a", 0, offset))


def no_key(_key: str, _value: int) -> Any:
    return None


def texts(found: Fate) -> list[str]:
    return [step.text for step in found.steps]


def counted(builder: TopologyBuilder, windows: object, **options: object) -> object:
    grouped = builder.stream("a", key=str, value=int).group_by_key(name="grouped")
    return grouped.windowed_by(windows, **options).count(store="counts")  # type: ignore[call-overload]


def test_a_record_is_part_of_these_results_at_these_positions() -> None:
    found = fate(
        lambda b: b.stream("a", key=str, value=int).group_by_key(name="g").count(store="counts").to_stream().to("out"),
        ("a", "x", 1, 0),
        ("a", "y", 1, 1),
        ("a", "x", 1, 2),
    )
    assert [(result.position, result.value) for result in found.results] == [
        (Position("out", 0, 0), 1),
        (Position("out", 0, 2), 2),
    ]
    assert (found.total, found.notes) == (2, ())
    (change,) = found.steps[0].changes
    assert (change.store, change.key, change.before, change.after) == ("counts", "x", None, 1)


def test_a_filtered_record_names_the_filter() -> None:
    found = fate(
        lambda b: b.stream("a", key=str, value=int).filter(lambda _key, value: value > 5, name="large").to("out"),
        ("a", "x", 1, 0),
    )
    assert (found.total, texts(found)) == (0, ["large filtered it out"])


def test_a_record_that_no_branch_takes_is_filtered() -> None:
    found = fate(
        lambda b: b.stream("a", key=str, value=int).split(name="by-size").branch(lambda _key, value: value > 5, name="large")
        .no_default_branch()["large"].to("out"),
        ("a", "x", 1, 0),
    )  # fmt: skip
    assert texts(found) == ["by-size filtered it out"]


def test_a_function_that_returns_no_records_is_named() -> None:
    found = fate(
        lambda b: b.stream("a", key=str, value=int).flat_map_values(lambda _value: [], value=int, name="none").to("out"),
        ("a", "x", 1, 0),
    )
    assert texts(found) == ["none returned no records for it"]


@pytest.mark.parametrize(
    ("windows", "text"),
    [
        (
            tumbling(10, grace=5),
            f"{LATE} 85 ms for window [{T}00Z, {T}10Z), which closed at stream time {T}15Z; it was {NOW}",
        ),
        (
            sliding(10, grace=5),
            f"counts-count dropped it as late by 81 ms: its last window closed at {T}19Z; stream time was {NOW}",
        ),
        (
            session(10, grace=5),
            f"counts-count dropped it as late by 82 ms: its last window closed at {T}18Z; stream time was {NOW}",
        ),
    ],
)
def test_a_late_record_says_by_how_much(windows: object, text: str) -> None:
    found = fate(lambda b: counted(b, windows).to_stream().to("out"), ("a", "x", 1, 100), ("a", "x", 1, 3), offset=1)  # type: ignore[attr-defined]
    assert texts(found) == [text]


def test_a_record_that_is_late_for_some_windows_says_for_which() -> None:
    found = fate(
        lambda b: counted(b, hopping(10, advance=5, grace=0)).to_stream().to("out"),  # type: ignore[attr-defined]
        ("a", "x", 1, 11),
        ("a", "x", 1, 8),
        offset=1,
    )
    assert texts(found)[0] == (
        f"counts-count dropped it as late by 1 ms for window [{T}00Z, {T}10Z), which closed at stream time {T}10Z; it was {T}11Z"
    )
    assert [result.value for result in found.results] == [2]


def test_a_window_that_has_not_closed_says_when_it_does() -> None:
    found = fate(
        lambda b: counted(b, tumbling(10, grace=5)).suppress(until_window_closes(), name="final").to_stream().to("out"),  # type: ignore[attr-defined]
        ("a", "x", 1, 3),
        ("a", "y", 1, 12),
    )
    assert (
        texts(found)[-1] == f"final suppresses window [{T}00Z, {T}10Z) of key 'x' until stream time reaches {T}15Z; it is {T}12Z"
    )


def test_a_result_that_is_emitted_on_window_close_says_when() -> None:
    found = fate(
        lambda b: counted(b, tumbling(10, grace=5), emit_strategy=on_window_close(emit_interval=0)).to_stream().to("out"),  # type: ignore[attr-defined]
        ("a", "x", 1, 3),
        ("a", "y", 1, 12),
    )
    assert texts(found)[-1] == (
        f"counts-count emits window [{T}00Z, {T}10Z) of key 'x' when it closes, at stream time {T}15Z; it is {T}12Z"
    )


def test_a_record_that_only_closes_a_window_is_no_part_of_its_result() -> None:
    found = fate(
        lambda b: counted(b, tumbling(10, grace=0)).suppress(until_window_closes(), name="final").to_stream().to("out"),  # type: ignore[attr-defined]
        ("a", "x", 1, 3),
        ("a", "y", 1, 12),
        offset=1,
    )
    assert found.total == 0
    assert found.notes == ("The record caused 1 result to be emitted that it is not part of.",)


def test_an_unmatched_record_waits_for_its_window() -> None:
    found = fate(
        lambda b: b.stream("a", key=str, value=int).left_join(
            b.stream("b", key=str, value=int), lambda left, _right: left, windows=join_windows(before=10, after=10, grace=5),
            value=int, name="j",
        ).to("out"),
        ("a", "x", 1, 3),
    )  # fmt: skip
    assert texts(found)[-1] == (
        f"j has found no match yet; without one it emits the record of key 'x' when stream time has passed {T}18Z; it is {T}03Z"
    )


def test_a_record_without_a_match_is_in_the_buffer_of_the_join() -> None:
    found = fate(
        lambda b: (
            b.stream("a", key=str, value=int)
            .join(
                b.stream("b", key=str, value=int),
                lambda left, right: left + right,
                windows=join_windows(before=10, after=10, grace=5),
                value=int,
                name="j",
            )
            .to("out")
        ),
        ("a", "x", 1, 3),
    )
    assert texts(found) == ["it was put into buffer j-left-store"]


def test_a_join_without_a_row_names_the_store_and_the_key() -> None:
    found = fate(
        lambda b: (
            b.stream("a", key=str, value=int)
            .join(b.table("b", key=str, value=int, store="rows"), lambda left, right: left + right, value=int)
            .to("out")
        ),
        ("b", "y", 1, 0),
        ("a", "x", 1, 1),
    )
    assert texts(found) == ["store rows had no row with key 'x'"]


def test_a_null_key_is_named() -> None:
    found = fate(
        lambda b: b.stream("a", key=str, value=int).group_by_key(name="g").count(store="counts").to_stream().to("out"),
        ("a", None, 1, 0),
    )
    assert texts(found) == ["counts-count dropped it because its key is null"]


def test_a_record_whose_new_key_is_null_is_not_repartitioned() -> None:
    found = fate(
        lambda b: b.stream("a", key=str, value=int).select_key(no_key, key=str).repartition(name="r").to("out"),
        ("a", "x", 1, 0),
    )
    assert texts(found)[0].endswith("a record whose new key is null, for example, is not repartitioned")


def test_a_tombstone_that_is_filtered_has_deleted_a_row() -> None:
    found = fate(
        lambda b: (
            b.table("a", key=str, value=int, store="rows")
            .to_stream()
            .filter(lambda _key, value: bool(value), name="rest")
            .to("out")
        ),
        ("a", "x", 7, 0),
        ("a", "x", None, 1),
        offset=1,
    )
    assert texts(found) == ["it changed store rows", "rest filtered it out"]
    assert [(change.before, change.after) for change in found.steps[0].changes] == [(7, None)]


def test_a_record_that_cannot_be_decoded_is_a_dead_letter() -> None:
    builder = TopologyBuilder()
    builder.stream("a", key=str, value=int).to("out")
    flow = Ran(builder.build(), ())
    flow.log.append("a", b"x", b"{", 0)
    flow.log.append("a", b"x", b"\xff", 0)
    (text, other) = (flow.lineage.explain_missing(Position("a", 0, offset)) for offset in (0, 1))
    (step,) = text.steps
    assert step.kind == "dropped"
    assert step.text.startswith("it could not be decoded, so it became a dead letter: ")
    documents = Documents(flow.topology, JsonCodecs())
    shown = [documents.fate(found)["record"]["value"] for found in (text, other)]
    assert shown == ["{", {"base64": "/w=="}]


def test_a_record_that_failed_has_the_exception() -> None:
    def divide(value: int) -> float:
        return 1 / value

    found = fate(
        lambda b: b.stream("a", key=str, value=int).map_values(divide, name="divide").to("out"),
        ("a", "x", 0, 0),
        processing_exception_handler="continue",
    )
    assert texts(found) == ["divide failed: ZeroDivisionError: division by zero"]


def test_what_a_processor_stored_is_shown() -> None:
    def define(builder: TopologyBuilder) -> None:
        builder.add_state_store(key_value_store("sums", key=str, value=int))
        builder.stream("a", key=str, value=int).process(Summing, stores=["sums"], key=str, value=int, name="p").filter(
            lambda _key, _value: False, name="nothing"
        ).to("out")

    found = fate(define, ("a", "x", 2, 0))
    assert texts(found) == ["it changed store sums", "nothing filtered it out"]
    assert [(change.key, change.before, change.after) for change in found.steps[0].changes] == [("x", None, 2)]


def test_an_unknown_topic_or_record_is_an_error_that_says_what_there_is() -> None:
    builder = TopologyBuilder()
    builder.stream("a", key=str, value=int).to("out")
    lineage = Ran(builder.build(), [Input("a", "x", 1, 0)]).lineage
    with pytest.raises(UnknownSubjectError, match="the flow does not read topic 'b'; it reads: a"):
        lineage.explain_missing(Position("b", 0, 0))
    with pytest.raises(UnknownSubjectError, match="there is no record a 0:7: the partition ends at offset 1"):
        lineage.explain_missing(Position("a", 0, 7))
    with pytest.raises(UnknownSubjectError, match="has no partition 3"):
        lineage.explain_missing(Position("a", 3, 0))
    with pytest.raises(UnknownSubjectError, match="the flow does not write topic 'a'; it writes: out"):
        lineage.explain_output(Position("a", 0, 0))


def test_a_topic_that_does_not_exist_yet_has_no_records() -> None:
    with pytest.raises(UnknownSubjectError, match="there is no record out 0:0: the topic does not exist yet"):
        record_at(MemoryEventLog(), Position("out", 0, 0))
