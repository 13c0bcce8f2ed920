"""`eddyline dead-letters` on the event log on files."""

import json
from pathlib import Path
from typing import Any

import pytest

from eddyline.adapters.cli.records.hex_dump import text_or_dump
from tests.adapters.cli.conftest import Eddyline

DEAR = '{"type":"ASK","ticker":"MSFT","size":1,"price":"dear"}'
LINES = [
    '{"timestamp":1000,"key":"MSFT","value":{"type":"ASK","ticker":"MSFT","size":1,"price":1}}',
    '{"timestamp":2000,"key":"MSFT","value":' + DEAR + ',"headers":{"trace":"t1","blob":{"base64":"/w=="}}}',
    '{"timestamp":3000,"key":"AAPL","value":{"base64":"/wABAg=="}}',
    "no record \x1b[31m:bomb:",
]
POSITIONS = {"dear": "0:0", "bytes": "0:1", "line": "0:2"}


@pytest.fixture
def letters(eddyline: Eddyline, tmp_path: Path) -> Eddyline:
    """The command, after a run of stock-stats on LINES."""
    folder = tmp_path / "data/topics/trades"
    folder.mkdir(parents=True)
    (folder / "partition-0.jsonl").write_text("".join(f"{line}\n" for line in LINES))
    outcome = eddyline("run", "stock-stats", "--engine", "memory", "--available-now", "--set", "num.partitions=1")
    assert "dead letters in 'stock-stats-dead-letters': 3" in outcome.err
    return lambda *words: eddyline("dead-letters", words[0], "stock-stats", *words[1:])


def trades(tmp_path: Path) -> list[dict[str, Any]]:
    """Return what has been appended to the topic since."""
    lines = (tmp_path / "data/topics/trades/partition-0.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines[len(LINES) :]]


# --- list -----------------------------------------------------------------------------------------------------------------


def test_dead_letters_are_listed_with_their_positions_and_counted_by_reason(letters: Eddyline) -> None:
    outcome = letters("list")
    assert outcome.code == 0
    rows = [line.split() for line in outcome.out.splitlines()]
    assert [row[:7] for row in rows[1:3]] == [
        ["0:0", "trades", "0", "1", "1970-01-01T00:00:02.000Z", "CodecError", "-"],
        ["0:1", "trades", "0", "2", "1970-01-01T00:00:03.000Z", "CodecError", "-"],
    ]
    assert "not JSON: Expecting value" in outcome.out
    totals = outcome.err.splitlines()
    assert totals[0] == "3 dead letters in 'stock-stats-dead-letters', 0 redriven; 3 shown"
    assert "  1 of topic 'trades': UnreadableRecordError: not JSON: Expecting value at column …" in totals


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["--exception", "UnreadableRecordError"], ["0:2"]),
        (["--exception", "CodecError"], ["0:0", "0:1"]),
        (["--topic", "trades", "--limit", "1"], ["0:2"]),
        (["--topic", "others"], []),
        (["--limit", "0"], []),
    ],
)
def test_the_list_can_be_filtered(letters: Eddyline, words: list[str], shown: list[str]) -> None:
    outcome = letters("list", *words)
    assert [line.split()[0] for line in outcome.out.splitlines()[1:]] == shown
    assert f"; {len(shown)} shown" in outcome.err


def test_the_list_shows_what_has_been_redriven(letters: Eddyline) -> None:
    letters("redrive", "--execute", "0:1")
    outcome = letters("list")
    assert [line.split()[6] for line in outcome.out.splitlines()[1:]] == ["-", "yes", "-"]
    assert "1 redriven" in outcome.err


def test_a_flow_without_dead_letters_has_an_empty_list(eddyline: Eddyline, tmp_path: Path) -> None:
    (tmp_path / "data/topics/text-lines").mkdir(parents=True)
    (tmp_path / "data/topics/text-lines/partition-0.jsonl").touch()
    outcome = eddyline("dead-letters", "list", "word-count")
    assert (outcome.code, outcome.out) == (0, "")
    assert outcome.err == "0 dead letters in 'word-count-dead-letters', 0 redriven; 0 shown\n"


def test_another_application_has_its_own_dead_letters(letters: Eddyline) -> None:
    assert "0 dead letters in 'other-dead-letters'" in letters("list", "--application-id", "other").err


# --- show -----------------------------------------------------------------------------------------------------------------


def test_a_dead_letter_is_shown_in_full(letters: Eddyline) -> None:
    outcome = letters("show", POSITIONS["dear"])
    assert outcome.code == 0
    shown = outcome.out.splitlines()
    assert shown[:3] == [
        "dead letter 0:0 of topic 'stock-stats-dead-letters'",
        "from: topic 'trades', partition 0, offset 1",
        "time: 1970-01-01T00:00:02.000Z (2000 ms)",
    ]
    assert "exception: CodecError" in shown
    assert any(line.startswith("message: Trade: price: Input should be a valid number") for line in shown)
    assert "  trace: t1" in shown
    assert "  00000000  ff                                               ." in shown
    assert "key: MSFT" in shown
    assert f"value: {DEAR}" in shown
    assert "  Traceback (most recent call last):" in shown
    assert "__streams.errors" not in outcome.out


def test_a_dead_letter_and_what_became_of_it_are_objects_for_programs(letters: Eddyline) -> None:
    found = json.loads(letters("show", POSITIONS["dear"], "--format", "json").out)
    assert (found["position"], found["topic"], found["offset"], found["key"], found["value"]) == (
        "0:0",
        "trades",
        1,
        "MSFT",
        DEAR,
    )
    assert found["headers"]["trace"] == "t1"
    (line,) = letters("redrive", "0:0", "--format", "json").out.splitlines()
    redriven = {"position": "0:0", "topic": "trades", "partition": 0, "outcome": "would be redriven", "reason": None}
    assert json.loads(line) == redriven
    refused = letters("show", POSITIONS["dear"], "--raw", "--format", "json")
    assert (refused.code, refused.err) == (2, "error: --format json does not go with --raw; leave one of them out\n")


def test_bytes_are_shown_as_a_hex_dump(letters: Eddyline) -> None:
    assert "  00000000  ff 00 01 02" in letters("show", POSITIONS["bytes"]).out


def test_control_characters_are_shown_as_a_hex_dump(letters: Eddyline) -> None:
    shown = letters("show", POSITIONS["line"]).out
    assert "\x1b" not in shown
    assert "no record .[31m" in shown
    assert "headers: none" in shown


def test_the_raw_value_is_its_unchanged_bytes(letters: Eddyline) -> None:
    assert letters("show", POSITIONS["line"], "--raw").out == LINES[3]


@pytest.mark.parametrize(
    ("position", "code", "message"),
    [
        ("0:9", 1, "error: there is no dead letter 0:9: partition 0 of topic 'stock-stats-dead-letters' has offsets 0 to 2"),
        ("7", 2, "error: invalid position '7'; write it as PARTITION:OFFSET, for example 0:7"),
    ],
)
def test_a_missing_dead_letter_is_one_line_with_the_valid_offsets(
    letters: Eddyline, position: str, code: int, message: str
) -> None:
    for command in ("show", "redrive"):
        outcome = letters(command, position)
        assert (outcome.code, outcome.err) == (code, f"{message}\n")


@pytest.mark.parametrize(
    ("data", "limit", "shown"),
    [
        (None, 4, "null"),
        (b"", 4, "empty"),
        ("größe".encode(), None, "größe"),
        (b"a\tb\nc", 10, "a\tb\nc"),
        ("aaaü".encode(), 4, "aaa\n… 1 more of 5 bytes (--full)"),
        (b"abcdef", 4, "abcd\n… 2 more of 6 bytes (--full)"),
        (b"\xffabc", None, "\n  00000000  ff 61 62 63                                      .abc"),
        (b"a\x1bb", None, "\n  00000000  61 1b 62                                         a.b"),
    ],
)
def test_bytes_are_shown_as_text_or_as_a_hex_dump(data: bytes | None, limit: int | None, shown: str) -> None:
    assert text_or_dump(data, limit) == shown


def test_a_hex_dump_has_a_line_for_every_16_bytes() -> None:
    lines = text_or_dump(bytes(range(256))).splitlines()[1:]
    assert len(lines) == 16
    assert lines[4].endswith("40 41 42 43 44 45 46 47 48 49 4a 4b 4c 4d 4e 4f  @ABCDEFGHIJKLMNO")


# --- redrive --------------------------------------------------------------------------------------------------------------


def test_a_dead_letter_is_redriven_unchanged_and_once(letters: Eddyline, tmp_path: Path) -> None:
    outcome = letters("redrive", "--execute", POSITIONS["dear"])
    assert (outcome.code, outcome.out) == (0, "0:0 → topic 'trades', partition 0: redriven\n")
    assert outcome.err == "1 redriven, 0 already redriven\n"
    again = letters("redrive", "--execute", POSITIONS["dear"])
    assert (again.code, again.out) == (0, "0:0 → topic 'trades', partition 0: already redriven\n")
    assert again.err == "0 redriven, 1 already redriven\n"
    assert trades(tmp_path) == [json.loads(LINES[1])]


def test_all_dead_letters_are_redriven_except_those_that_are_not_records(letters: Eddyline, tmp_path: Path) -> None:
    letters("redrive", "--execute", POSITIONS["bytes"])
    outcome = letters("redrive", "--execute", "--all")
    assert outcome.code == 0
    assert "0:2 cannot be redriven: the log could not parse it as a record (not JSON" in outcome.err
    assert "1 redriven, 1 already redriven, 1 cannot be redriven" in outcome.err
    assert "get the bytes of a record to repair with 'eddyline dead-letters show FLOW PARTITION:OFFSET --raw'" in outcome.err
    assert trades(tmp_path) == [json.loads(LINES[2]), json.loads(LINES[1])]


def test_a_given_dead_letter_that_cannot_be_redriven_is_a_failure(letters: Eddyline, tmp_path: Path) -> None:
    outcome = letters("redrive", "--execute", POSITIONS["line"], POSITIONS["dear"])
    assert outcome.code == 1
    assert "1 redriven, 0 already redriven, 1 cannot be redriven" in outcome.err
    assert len(trades(tmp_path)) == 1


def test_a_dry_run_writes_nothing(letters: Eddyline, tmp_path: Path) -> None:
    letters("redrive", "--execute", POSITIONS["bytes"])
    before = {file: file.read_bytes() for file in (tmp_path / "data").rglob("*.jsonl")}
    outcome = letters("redrive", "--all")
    assert outcome.out == "0:0 → topic 'trades', partition 0: would be redriven\n"
    assert "1 would be redriven, 1 already redriven, 1 cannot be redriven" in outcome.err
    assert {file: file.read_bytes() for file in (tmp_path / "data").rglob("*.jsonl")} == before


def test_all_dead_letters_of_one_topic_can_be_redriven(letters: Eddyline, tmp_path: Path) -> None:
    assert "0 redriven, 0 already redriven" in letters("redrive", "--execute", "--all", "--topic", "others").err
    assert trades(tmp_path) == []
    assert "2 redriven" in letters("redrive", "--execute", "--all", "--topic", "trades").err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "error: no dead letters given; give their positions, for example 0:7 2:13, or --all"),
        (["0:0", "--all"], "error: give either the positions of dead letters or --all, not both"),
        (["0:0", "--topic", "trades"], "error: --topic selects from all dead letters; give it together with --all"),
    ],
)
def test_a_redrive_needs_either_positions_or_all(letters: Eddyline, words: list[str], message: str) -> None:
    outcome = letters("redrive", *words)
    assert outcome.code == 2
    assert message in outcome.err


def test_a_repaired_line_is_processed(letters: Eddyline, eddyline: Eddyline, tmp_path: Path) -> None:
    raw = letters("show", POSITIONS["line"], "--raw").out
    mended = {"timestamp": 4_000, "key": "MSFT", "value": {"type": "ASK", "ticker": "MSFT", "price": len(raw), "size": 1}}
    with (tmp_path / "data/topics/trades/partition-0.jsonl").open("a") as file:
        file.write(json.dumps(mended) + "\n")
    assert "2 records" in eddyline("run", "stock-stats", "--engine", "memory", "--available-now").err


def test_dead_letters_are_listed_as_json(letters: Eddyline) -> None:
    found = list(map(json.loads, letters("list", "--format", "json").out.splitlines()))
    assert {letter["position"] for letter in found} == set(POSITIONS.values())
    assert {letter["topic"] for letter in found} == {"trades"}
