"""Poison pills in a topic of JSON on files: each becomes a dead letter, and the flow continues."""

from pathlib import Path

import pytest

from eddyline.adapters.container import Container
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.settings import Settings
from eddyline.domain.trading import Trade
from tests.adapters.poison import (
    DEEP,
    GOOD,
    MEGABYTES_20,
    Bad,
    among_good_ones,
    check_letters,
    copied_and_counted,
    everything,
    runner,
)

BAD = {
    "empty value": Bad(b"", "Trade: Invalid JSON: EOF while parsing"),
    "no JSON": Bad(b"{torn", "Trade: Invalid JSON"),
    "another kind of JSON": Bad(b"[1]", "Trade: "),
    "wrong type": Bad(b'{"price": "dear"}', "Trade: price: Input should be a valid number"),
    "invalid UTF-8": Bad(b'{"ticker": "\xff\xfe"}', "Trade: Invalid JSON: invalid unicode"),
    "invalid UTF-8 in a key": Bad(b'{"price": 1}', "not UTF-8 at byte 0", b"\xff"),
    "deep JSON": Bad(DEEP, "Trade: Invalid JSON: recursion limit exceeded"),
    "20 MB": Bad(b'"' + b"x" * MEGABYTES_20 + b'"', "Trade: "),
}
LINES = [
    Bad(b"this is not a record", "not JSON: Expecting value at column 1", None),
    Bad(b"\xff\xfe", "not UTF-8 at byte 0 of the line", None),
    Bad(DEEP, "nested too deeply", None),
    Bad(b'{"timestamp": 1}', "'value' is missing", None),
]


@pytest.mark.parametrize("engine", ["memory", pytest.param("spark", marks=pytest.mark.spark)])
def test_every_poison_pill_becomes_a_dead_letter_and_the_flow_continues(
    tmp_path: Path, request: pytest.FixtureRequest, engine: str
) -> None:
    spark = request.getfixturevalue("spark") if engine == "spark" else None
    container = Container(settings=Settings.load({"data.dir": str(tmp_path), "emit": "every-update", "num.partitions": 2}))
    good = JsonCodecs().for_value("trades", Trade).encode(GOOD)
    sink, log = container.sink(), container.log()
    sink.create_topic("trades", 1)
    sink.write("w", 0, 0, among_good_ones("trades", BAD, good))
    with (tmp_path / "topics/trades/partition-0.jsonl").open("ab") as file:
        for bad in LINES:
            file.write((bad.value or b"") + b'\n{"timestamp":2000,"key":"good","value":' + (good or b"") + b"}\n")

    report = runner(container, copied_and_counted("trades"), "app", tmp_path / "checkpoint", spark).run_available_now()

    poison = [*BAD.values(), *LINES]
    check_letters(log, "app", "trades", poison)
    assert (report.records, report.dead_letters) == (len(poison) + 1, len(poison))
    assert report.drops == {("trades", "undecodable"): len(poison)}
    assert [record.value for record in everything(log, "trades-copies")] == [good] * (len(poison) + 1)
    assert [record.value for record in everything(log, "trades-counts")][-1] == b"%d" % (len(poison) + 1)
