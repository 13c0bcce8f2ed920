"""`eddyline why` on the event log on files."""

import json
from pathlib import Path

import pytest

from tests.adapters.cli.conftest import Eddyline

TRADES = [("IBM", 100.0, 1_000), ("MSFT", 30.0, 1_500), ("IBM", 102.0, 2_000), ("IBM", 90.0, 60_000), ("IBM", 1.0, 3_000)]


@pytest.fixture
def ask(eddyline: Eddyline, tmp_path: Path) -> Eddyline:
    """The command, after a run of stock-stats."""
    folder = tmp_path / "data/topics/trades"
    folder.mkdir(parents=True)
    lines = (
        {"key": ticker, "timestamp": time, "value": {"type": "ASK", "ticker": ticker, "price": price, "size": 1}}
        for ticker, price, time in TRADES
    )
    (folder / "partition-0.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    options = ["--set", "emit=every-update"]
    running = ["--engine", "memory", "--available-now", "--set", "num.partitions=1"]
    assert eddyline("run", "stock-stats", *running, *options).code == 0
    return lambda *words: eddyline("why", "stock-stats", *words, *options)


def offset_of(tmp_path: Path, count: int) -> int:
    """Return the offset of the first result with this count."""
    lines = (tmp_path / "data/topics/stock-stats/partition-0.jsonl").read_text().splitlines()
    return next(index for index, line in enumerate(lines) if json.loads(line)["value"]["countTrades"] == count)


def test_a_result_has_its_inputs_with_the_state_before_and_after(ask: Eddyline, tmp_path: Path) -> None:
    outcome = ask("stock-stats", f"0:{offset_of(tmp_path, 2)}")
    lines = [line.rstrip() for line in outcome.out.splitlines()]
    assert outcome.code == 0
    assert lines[0].startswith(
        f"stock-stats 0:{offset_of(tmp_path, 2)}  1970-01-01T00:00:02.000Z  key IBM [1970-01-01T00:00:00.000Z, "
    )
    assert lines[1] == "is made of 2 input records:"
    assert lines[2].startswith("state: trade-aggregates IBM [1970-01-01T00:00:00.000Z, 1970-01-01T00:00:05.000Z)")
    assert lines[4].startswith(
        "trades 0:0  1970-01-01T00:00:01.000Z  IBM  type: ASK, ticker: IBM, price: 100.0, size: 1  - → type: ASK"
    )
    assert lines[5].endswith("countTrades: 1 → 2, sumPrice: 100.0 → 202.0")
    assert lines[6].startswith("path: trades → trades-filter → ")
    assert outcome.err == "5 records replayed, 3 replays of inputs alone\n"


def test_the_only_topic_of_a_flow_may_be_left_out_and_the_answer_be_json(ask: Eddyline, tmp_path: Path) -> None:
    outcome = ask(f"0:{offset_of(tmp_path, 2)}", "--format", "json")
    found = json.loads(outcome.out)
    assert [record["offset"] for record in found["inputs"]] == [0, 2]
    assert (found["found"], found["verified"], found["notes"]) == (True, True, [])
    assert found["subject"]["window"] == {"start": 0, "end": 5_000}
    (change,) = found["inputs"][1]["changes"]
    assert (change["store"], change["before"]["countTrades"], change["after"]["countTrades"]) == ("trade-aggregates", 1, 2)
    assert found["inputs"][0]["neutral"] is False


def test_an_entry_of_a_store_is_chosen_by_key_and_window(ask: Eddyline) -> None:
    outcome = ask("--store", "trade-aggregates", "--key", "IBM", "--window-start", "1970-01-01T00:01:00")
    assert outcome.out.splitlines()[0].startswith(
        "store trade-aggregates IBM [1970-01-01T00:01:00.000Z, 1970-01-01T00:01:05.000Z)"
    )
    assert "trades 0:3  1970-01-01T00:01:00.000Z  IBM" in outcome.out


def test_a_late_record_has_no_result_and_says_why(ask: Eddyline) -> None:
    outcome = ask("trades", "0:4")
    lines = outcome.out.splitlines()
    assert lines[1] == "has no result:"
    assert "dropped it as late by 55,000 ms for window [1970-01-01T00:00:00.000Z, 1970-01-01T00:00:05.000Z)" in outcome.out


def test_an_input_record_has_the_results_that_it_is_part_of(ask: Eddyline) -> None:
    outcome = ask("trades", "0:1")
    assert outcome.out.splitlines()[1] == "is part of 2 results:"
    assert "stock-stats 0:2  1970-01-01T00:00:01.500Z  MSFT" in outcome.out


def test_all_shows_whole_values(ask: Eddyline, tmp_path: Path) -> None:
    outcome = ask("stock-stats", f"0:{offset_of(tmp_path, 2)}", "--full")
    assert '{"type": "ASK", "ticker": "IBM", "price": 100.0, "size": 1}' in outcome.out
    assert '"countTrades": 1, "sumPrice": 100.0, "minPrice": 100.0, "sumRest": []} → {"type": "ASK"' in outcome.out


def test_of_nested_state_only_what_differs_is_shown(eddyline: Eddyline, tmp_path: Path) -> None:
    folder = tmp_path / "data/topics/items"
    folder.mkdir(parents=True)
    sold = [{"storeName": "north", "sku": f"sku-{number % 2}", "quantity": 1, "type": "RESTOCK"} for number in range(24)]
    lines = ({"key": "north", "timestamp": number, "value": value} for number, value in enumerate(sold))
    (folder / "partition-0.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    assert eddyline("run", "inventory", "--engine", "memory", "--available-now", "--set", "num.partitions=1").code == 0
    shown = eddyline("why", "inventory", "--store", "INVENTORY", "--key", "north").out
    assert "stock.sku-1: 11 → 12" in shown
    assert "stock.sku-1: - → 1" in shown
    assert "… 4 more (--full)" in shown


def test_a_result_that_no_replay_gives_is_a_failure(ask: Eddyline, tmp_path: Path) -> None:
    path = tmp_path / "data/topics/stock-stats/partition-0.jsonl"
    lines = path.read_text().splitlines()
    changed = lines[0].replace('"countTrades":1', '"countTrades":9')
    path.write_text("".join(f"{line}\n" for line in [*lines, changed]))
    outcome = ask(f"0:{len(lines)}")
    assert outcome.code == 1
    assert "was not given by a replay" in outcome.out
    assert "note: The log was replayed in the batches that one run over the whole log has and record by record" in outcome.err


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ([], 2, "no record given; give TOPIC and PARTITION:OFFSET, for example 0:7, or --store with --key"),
        (["trades"], 2, "no record given"),
        (["trades", "7"], 2, "invalid position '7'; write it as PARTITION:OFFSET, for example 0:7"),
        (["trades", "0:0", "--store", "trade-aggregates"], 2, "give either a record or --store with --key, not both"),
        (["--store", "trade-aggregates"], 2, "--store needs the key of an entry; give it with --key"),
        (["--key", "IBM"], 2, "--key and --window-start need a state store; give it with --store"),
        (["--store", "nope", "--key", "IBM"], 1, "store 'nope' is unknown; the flow has: trade-aggregates"),
        (["nope", "0:0"], 2, "neither writes nor reads topic 'nope'; choose one of: stock-stats, trades"),
        (["stok-stats", "0:0"], 2, "flow 'stock-stats' neither writes nor reads topic 'stok-stats'; did you mean 'stock-stats'?"),
        (["trades", "0:99"], 1, "there is no record trades 0:99: the partition ends at offset 5"),
    ],
)
def test_what_cannot_be_answered_is_an_error_of_one_line(ask: Eddyline, words: list[str], code: int, message: str) -> None:
    outcome = ask(*words)
    assert (outcome.code, outcome.out) == (code, "")
    assert message in outcome.err
    assert outcome.err.count("\n") == 1
