import json
from pathlib import Path

import pytest

from eddyline.adapters.files.event_sink import FileEventSink
from eddyline.application.ports.event_sink import SinkRecord
from tests.adapters.cli.conftest import Eddyline, Outcome


def fill(folder: Path, topic: str, *records: tuple[str | None, object, int]) -> None:
    sink = FileEventSink(folder / "data/topics")
    sink.create_topic(topic, 1)
    given = [
        SinkRecord(topic, None if key is None else key.encode(), json.dumps(value).encode(), timestamp)
        for key, value, timestamp in records
    ]
    sink.write(f"writer-of-{topic}", 0, 0, given)


def lines(outcome: Outcome) -> list[str]:
    return [" ".join(line.split()) for line in outcome.out.splitlines()]


def window(key: str, start: int, end: int) -> str:
    return json.dumps({"key": key, "window": {"start": start, "end": end}})


def test_topics_that_agree_end_with_0_and_tell_how_far_each_has_come(eddyline: Eddyline, tmp_path: Path) -> None:
    fill(tmp_path, "one", ("a", 1, 1_000), ("a", 2, 2_000))
    fill(tmp_path, "two", ("a", 2, 2_000))
    outcome = eddyline("compare", "one", "two")
    assert outcome.code == 0
    assert lines(outcome) == [
        "topic records keys newest end offsets",
        "one 2 1 1970-01-01T00:00:02.000Z 2",
        "two 1 1 1970-01-01T00:00:02.000Z 1",
        "1 equal, 0 different, 0 only in 'one', 0 only in 'two'",
    ]


def test_topics_that_differ_end_with_1_and_tell_where(eddyline: Eddyline, tmp_path: Path) -> None:
    fill(tmp_path, "one", (window("a", 0, 5_000), 1, 1), ("b", {"x": 1}, 1), ("z", 1, 9))
    fill(tmp_path, "two", (window("a", 0, 5_000), 2, 1), (window("a", 5_000, 2**63 - 1), 1, 1), ("z", 1, 9))
    outcome = eddyline("compare", "one", "two")
    assert outcome.code == 1
    assert outcome.err == ""
    assert lines(outcome)[3:] == [
        "1 equal, 1 different, 1 only in 'one', 1 only in 'two'",
        "key window one two",
        'b {"x": 1} -',
        "a 1970-01-01T00:00:00.000Z to 1970-01-01T00:00:05.000Z 1 2",
        f"a 1970-01-01T00:00:05.000Z to {2**63 - 1} - 1",
    ]


def test_no_more_differences_are_shown_than_asked_for(eddyline: Eddyline, tmp_path: Path) -> None:
    fill(tmp_path, "one", *((key, 1, 1) for key in "abcd"))
    fill(tmp_path, "two", *((key, 2, 1) for key in "abcd"))
    outcome = eddyline("compare", "one", "two", "--limit", "1")
    assert lines(outcome)[4:] == ["key window one two", "a 1 2", "… and 3 more (--limit)"]
    assert lines(eddyline("compare", "one", "two", "--limit", "0"))[4:] == ["… and 4 more (--limit)"]


def test_what_one_has_not_reached_is_left_out_and_said(eddyline: Eddyline, tmp_path: Path) -> None:
    fill(tmp_path, "one", ("a", 1, 1_000), ("b", 1, 2_000), ("c", 1, 3_000))
    fill(tmp_path, "two", ("a", 1, 1_000), ("b", 0, 2_000))
    outcome = eddyline("compare", "one", "two")
    assert outcome.code == 0
    assert lines(outcome)[3] == (
        "before 1970-01-01T00:00:02.000Z: 1 equal, 0 different, 0 only in 'one', 0 only in 'two'; "
        "2 with later records are not compared"
    )
    assert eddyline("compare", "one", "two", "--until", "end").code == 1
    assert eddyline("compare", "one", "two", "--until", "1970-01-01T00:00:03").code == 1
    assert eddyline("compare", "one", "two", "--until", "2000").code == 0


def test_where_one_has_not_begun_it_says_so(eddyline: Eddyline, tmp_path: Path) -> None:
    fill(tmp_path, "one", ("a", 1, 1_000), ("b", 1, 2_000))
    fill(tmp_path, "two")
    outcome = eddyline("compare", "two", "one")
    assert (outcome.code, lines(outcome)[3:]) == (0, ["'two' has no records yet: 2 keys are not compared"])


def test_records_that_cannot_be_compared_are_counted(eddyline: Eddyline, tmp_path: Path) -> None:
    fill(tmp_path, "one", (None, 1, 1), ("a", 1, 1))
    fill(tmp_path, "two", ("a", 1, 1))
    with (tmp_path / "data/topics/two/partition-0.jsonl").open("a") as file:
        file.write("garbage\n")
    assert lines(eddyline("compare", "one", "two"))[4:] == [
        "'one' has 1 records without a key: these are not compared",
        "'two' has 1 records that cannot be read: these are not compared",
    ]


def test_with_a_flow_values_are_compared_by_what_they_mean(eddyline: Eddyline, tmp_path: Path) -> None:
    told = {"type": "ASK", "ticker": "A", "countTrades": 1, "sumPrice": 2.0, "minPrice": 2.0, "avgPrice": 2.0}
    fill(tmp_path, "stock-stats", (window("A", 0, 5_000), told, 1))
    other = {name: told[name] for name in reversed(told)} | {"minPrice": 2}
    fill(tmp_path, "stock-stats-v2", (json.dumps(json.loads(window("A", 0, 5_000)), indent=1), other, 1))
    fill(tmp_path, "stock-stats-v3", (window("A", 0, 5_000), told | {"countTrades": 2}, 1), ("not a window", told, 1))
    assert eddyline("compare", "stock-stats", "stock-stats-v2").code == 1
    assert eddyline("compare", "stock-stats", "stock-stats-v2", "--flow", "stock-stats").code == 0
    outcome = eddyline("compare", "stock-stats", "stock-stats-v3", "--flow", "stock-stats")
    assert outcome.code == 1
    assert lines(outcome)[3] == "0 equal, 1 different, 0 only in 'stock-stats', 1 only in 'stock-stats-v3'"
    assert any(line.startswith("A 1970-01-01T00:00:00.000Z to 1970-01-01T00:00:05.000Z {") for line in lines(outcome))
    assert any(line.startswith("not a window - {") for line in lines(outcome))


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["one", "no"], 1, "error: topic 'no' is unknown in data/topics, which has: one"),
        (["one", "one", "--until", "noon"], 2, "error: 'noon' is not a time; write 2026-03-01T12:00:00"),
        (
            ["one", "one", "--flow", "word-count"],
            2,
            "error: flow 'word-count' has no topic 'one', nor one that this is a version of; it has: word-counts, text-lines",
        ),
    ],
)
def test_a_wrong_request_is_one_line(eddyline: Eddyline, tmp_path: Path, words: list[str], code: int, message: str) -> None:
    fill(tmp_path, "one", ("a", 1, 1))
    outcome = eddyline("compare", *words)
    assert outcome.code == code
    assert outcome.err.startswith(message)
    assert outcome.err.count("\n") == 1
