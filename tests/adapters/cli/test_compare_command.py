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


def test_topics_that_agree_exit_with_0_and_show_the_progress_of_each(eddyline: Eddyline, tmp_path: Path) -> None:
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


def test_topics_that_differ_exit_with_1_and_show_where(eddyline: Eddyline, tmp_path: Path) -> None:
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
        f"a 1970-01-01T00:00:05.000Z to {2**63 - 1} ms - 1",
    ]


def test_the_comparison_is_an_object_for_programs(eddyline: Eddyline, tmp_path: Path) -> None:
    fill(tmp_path, "one", ("a", 1, 1), ("b", "x", 2))
    fill(tmp_path, "two", ("a", 1, 1), ("c", 3, 2))
    outcome = eddyline("compare", "one", "two", "--to", "end", "--format", "json")
    found = json.loads(outcome.out)
    assert (outcome.code, found["agree"], found["equal"], found["onlyFirst"], found["onlySecond"]) == (1, False, 1, 1, 1)
    assert found["first"] == {
        "topic": "one",
        "records": 2,
        "keys": 2,
        "keyless": 0,
        "unreadable": 0,
        "newest": 2,
        "endOffsets": [2],
    }
    assert found["differences"] == [{"key": "b", "first": '"x"', "second": None}, {"key": "c", "first": None, "second": "3"}]


def test_the_number_of_differences_shown_is_limited(eddyline: Eddyline, tmp_path: Path) -> None:
    fill(tmp_path, "one", *((key, 1, 1) for key in "abcd"))
    fill(tmp_path, "two", *((key, 2, 1) for key in "abcd"))
    outcome = eddyline("compare", "one", "two", "--limit", "1")
    assert lines(outcome)[4:] == ["key window one two", "a 1 2", "… and 3 more differences (--limit)"]
    assert lines(eddyline("compare", "one", "two", "--limit", "0"))[4:] == ["… and 4 more differences (--limit)"]


def test_keys_that_one_topic_has_not_reached_are_counted_and_not_compared(eddyline: Eddyline, tmp_path: Path) -> None:
    fill(tmp_path, "one", ("a", 1, 1_000), ("b", 1, 2_000), ("c", 1, 3_000))
    fill(tmp_path, "two", ("a", 1, 1_000), ("b", 0, 2_000))
    outcome = eddyline("compare", "one", "two")
    assert outcome.code == 0
    assert lines(outcome)[3] == (
        "before 1970-01-01T00:00:02.000Z: 1 equal, 0 different, 0 only in 'one', 0 only in 'two'; "
        "not compared: 2 keys with later records"
    )
    assert eddyline("compare", "one", "two", "--to", "end").code == 1
    assert eddyline("compare", "one", "two", "--to", "1970-01-01T00:00:03").code == 1
    assert eddyline("compare", "one", "two", "--to", "2000").code == 0


def test_a_topic_without_records_is_named(eddyline: Eddyline, tmp_path: Path) -> None:
    fill(tmp_path, "one", ("a", 1, 1_000), ("b", 1, 2_000))
    fill(tmp_path, "two")
    outcome = eddyline("compare", "two", "one")
    assert (outcome.code, lines(outcome)[3:]) == (0, ["topic 'two' has no records yet: 2 keys of the other topic not compared"])


def test_records_that_cannot_be_compared_are_counted(eddyline: Eddyline, tmp_path: Path) -> None:
    fill(tmp_path, "one", (None, 1, 1), ("a", 1, 1))
    fill(tmp_path, "two", ("a", 1, 1))
    with (tmp_path / "data/topics/two/partition-0.jsonl").open("a") as file:
        file.write("garbage\n")
    assert lines(eddyline("compare", "one", "two"))[4:] == [
        "topic 'one' has 1 record without a key (not compared)",
        "topic 'two' has 1 record that cannot be read (not compared)",
    ]


def test_with_a_flow_decoded_values_are_compared(eddyline: Eddyline, tmp_path: Path) -> None:
    summary = {"type": "ASK", "ticker": "A", "countTrades": 1, "sumPrice": 2.0, "minPrice": 2.0, "avgPrice": 2.0}
    fill(tmp_path, "stock-stats", (window("A", 0, 5_000), summary, 1))
    other = {name: summary[name] for name in reversed(summary)} | {"minPrice": 2}
    fill(tmp_path, "stock-stats-v2", (json.dumps(json.loads(window("A", 0, 5_000)), indent=1), other, 1))
    fill(tmp_path, "stock-stats-v3", (window("A", 0, 5_000), summary | {"countTrades": 2}, 1), ("not a window", summary, 1))
    assert eddyline("compare", "stock-stats", "stock-stats-v2").code == 1
    assert eddyline("compare", "stock-stats", "stock-stats-v2", "--flow", "stock-stats").code == 0
    outcome = eddyline("compare", "stock-stats", "stock-stats-v3", "--flow", "stock-stats")
    assert outcome.code == 1
    assert lines(outcome)[3] == "0 equal, 1 different, 0 only in 'stock-stats', 1 only in 'stock-stats-v3'"
    assert any(line.startswith("A 1970-01-01T00:00:00.000Z to 1970-01-01T00:00:05.000Z {") for line in lines(outcome))
    assert any(line.startswith("not a window - {") for line in lines(outcome))


def test_with_a_tolerance_numbers_that_are_close_are_equal(eddyline: Eddyline, tmp_path: Path) -> None:
    fill(tmp_path, "one", ("a", {"sum": 0.3}, 1), ("b", {"sum": 1.0}, 1))
    fill(tmp_path, "two", ("a", {"sum": 0.1 + 0.2}, 1), ("b", {"sum": 1.001}, 1))
    assert lines(eddyline("compare", "one", "two"))[3].startswith("0 equal, 2 different")
    outcome = eddyline("compare", "one", "two", "--tolerance", "1e-9")
    assert (outcome.code, lines(outcome)[3].split(",")[:2]) == (1, ["1 equal", " 1 different"])
    assert eddyline("compare", "one", "two", "--tolerance", "0.01").code == 0
    refused = eddyline("compare", "one", "two", "--tolerance", "2")
    assert (refused.code, "'--tolerance'" in refused.err) == (2, True)


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["one", "no"], 1, "error: topic 'no' is unknown in data/topics, which has: one"),
        (
            ["one", "one", "--to", "noon"],
            2,
            "error: invalid --to 'noon'; choose one of: common, end, or a time such as 2026-03-01T12:00:00",
        ),
        (
            ["one", "one", "--flow", "word-count"],
            2,
            "error: flow 'word-count' has no topic 'one' in any version; its topics are word-counts, text-lines",
        ),
    ],
)
def test_an_invalid_argument_is_one_line(eddyline: Eddyline, tmp_path: Path, words: list[str], code: int, message: str) -> None:
    fill(tmp_path, "one", ("a", 1, 1))
    outcome = eddyline("compare", *words)
    assert outcome.code == code
    assert outcome.err.startswith(message)
    assert outcome.err.count("\n") == 1
