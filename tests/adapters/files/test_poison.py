"""Poison pills in a topic of JSON on files: each becomes a dead letter, and the flow continues."""

from pathlib import Path

import pytest

from eddyline.adapters.container import Container
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.settings import Settings
from eddyline.domain.trading import Trade
from tests.adapters.invalid_records import (
    DEEPLY_NESTED_JSON,
    MEGABYTES_20,
    TRADE,
    InvalidRecord,
    assert_dead_letters,
    copy_and_count_topology,
    engine_for,
    read_all,
    with_valid_records,
)

pytestmark = pytest.mark.xdist_group("spark")

BAD = {
    "empty value": InvalidRecord(b"", "Trade: Invalid JSON: EOF while parsing"),
    "no JSON": InvalidRecord(b"{torn", "Trade: Invalid JSON"),
    "another kind of JSON": InvalidRecord(b"[1]", "Trade: "),
    "wrong type": InvalidRecord(
        b'{"type": "ASK", "ticker": "A", "price": "dear", "size": 1}', "Trade: price: Input should be a valid number"
    ),
    "invalid UTF-8": InvalidRecord(b'{"ticker": "\xff\xfe"}', "Trade: Invalid JSON: invalid unicode"),
    "invalid UTF-8 in a key": InvalidRecord(b'{"price": 1}', "not UTF-8 at byte 0", b"\xff"),
    "deep JSON": InvalidRecord(DEEPLY_NESTED_JSON, "Trade: Invalid JSON: recursion limit exceeded"),
    "20 MB": InvalidRecord(b'"' + b"x" * MEGABYTES_20 + b'"', "Trade: "),
}
LINES = [
    InvalidRecord(b"this is not a record", "not JSON: Expecting value at column 1", None),
    InvalidRecord(b"\xff\xfe", "not UTF-8 at byte 0 of the line", None),
    InvalidRecord(DEEPLY_NESTED_JSON, "nested too deeply", None),
    InvalidRecord(b'{"timestamp": 1}', "'value' is missing", None),
]


@pytest.mark.parametrize("engine", ["memory", "local", pytest.param("spark", marks=pytest.mark.spark)])
def test_every_poison_pill_becomes_a_dead_letter_and_the_flow_continues(
    tmp_path: Path, request: pytest.FixtureRequest, engine: str
) -> None:
    spark = request.getfixturevalue("spark") if engine == "spark" else None
    container = Container(settings=Settings.load({"data.dir": str(tmp_path), "emit": "every-update", "num.partitions": 2}))
    good = JsonCodecs().for_value("trades", Trade).encode(TRADE)
    sink, log = container.sink(), container.log()
    sink.create_topic("trades", 1)
    sink.write("w", 0, 0, with_valid_records("trades", BAD, good))
    with (tmp_path / "topics/trades/partition-0.jsonl").open("ab") as file:
        for bad in LINES:
            file.write((bad.value or b"") + b'\n{"timestamp":2000,"key":"valid","value":' + (good or b"") + b"}\n")

    report = engine_for(container, copy_and_count_topology("trades"), "app", tmp_path / "checkpoint", spark).run_available_now()

    poison = [*BAD.values(), *LINES]
    assert_dead_letters(log, "app", "trades", poison)
    assert (report.records, report.dead_letters) == (len(poison) + 1, len(poison))
    assert report.drops == {("trades", "undecodable"): len(poison)}
    assert [record.value for record in read_all(log, "trades-copies")] == [good] * (len(poison) + 1)
    assert [record.value for record in read_all(log, "trades-counts")][-1] == b"%d" % (len(poison) + 1)
