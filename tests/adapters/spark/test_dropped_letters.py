"""Records that a step leaves out can go to the dead letters, raw, with the step and the reason."""

from adapters.memory.event_log import MemoryEventLog
from application.flows.registry import find_flow
from tests.adapters.spark.in_process import InProcess

TRADE = b'{ "type": "ASK", "ticker": "a",  "price": 1 }'


def trades() -> MemoryEventLog:
    log = MemoryEventLog()
    log.create_topic("trades", 1)
    log.append("trades", b"a", TRADE, 20_000)
    log.append("trades", b"a", TRADE, 1_000)
    log.append("trades", None, TRADE, 20_000)
    return log


def test_late_and_keyless_records_arrive_once_with_their_raw_bytes() -> None:
    run = InProcess(find_flow("stock-stats").topology(), trades(), bury_dropped=True).run()
    letters = run.results("app-dead-letters")
    step = "trade-aggregates-aggregate"
    assert [(letter.key, letter.value, dict(letter.headers)["__streams.errors.message"]) for letter in letters] == [
        (b"a", TRADE, f"step '{step}' left the record out: late".encode()),
        (None, TRADE, f"step '{step}' left the record out: null-key".encode()),
    ]
    assert [dict(letter.headers)["__streams.errors.offset"] for letter in letters] == [b"1", b"2"]
    assert run.report.drops == {(step, "late"): 2, (step, "null-key"): 1}


def test_without_the_setting_they_are_only_counted() -> None:
    run = InProcess(find_flow("stock-stats").topology(), trades()).run()
    assert run.results("app-dead-letters") == []
    assert sum(run.report.drops.values()) == 3
