"""Records that cannot be decoded become dead letters, and with the option `dead_letter_drops` dropped records do, too."""

import json
from typing import Any

import pytest

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.clock import MemoryClock
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.run import MemoryRun
from eddyline.application.ports.codec import Codec, CodecUnavailableError
from eddyline.application.ports.event_log import Headers, LogRecord
from eddyline.application.runtime.plan.dead_letters import NO_OFFSET, reason_in
from eddyline.application.runtime.plan.options import RunOptions
from eddyline.application.samples.catalogue import find_flow
from eddyline.application.topology import Topology, TopologyBuilder, tumbling
from eddyline.domain.trading import Trade
from tests.adapters.spark.in_process import InProcessRun
from tests.runtime.plans import all_records, memory_ports

TRADE = b'{ "type": "ASK", "ticker": "a",  "price": 1, "size": 1 }'


def trades(*records: tuple[bytes | None, bytes, int]) -> MemoryEventLog:
    """Return a log with these keys, values and timestamps in the topic `trades`."""
    log = MemoryEventLog()
    log.create_topic("trades", 1)
    for key, value, timestamp in records:
        log.append("trades", key, value, timestamp)
    return log


def with_late_and_keyless_trades() -> MemoryEventLog:
    return trades((b"a", TRADE, 20_000), (b"a", TRADE, 1_000), (None, TRADE, 20_000))


def test_undecodable_records_become_dead_letters_with_their_bytes_position_and_reason() -> None:
    log = trades((b"a", b'{"type": "ASK", "ticker": "a", "price": 1, "size": 1}', 1))
    log.append("trades", b"a", b"{not json", 2, (("trace", b"x"),))
    log.append("trades", None, b"torn line", -1, error="no record: no timestamp")
    log.append("trades", b"a", b'{"type": "ASK", "ticker": "a", "price": 3.0, "size": 1}', 4)
    run = InProcessRun(find_flow("stock-stats").topology(), log).run(max_batch_records=2)
    letters = run.results("app-dead-letters")
    assert [(letter.key, letter.value) for letter in letters] == [(b"a", b"{not json"), (None, b"torn line")]
    assert [letter.timestamp >= 0 for letter in letters] == [True, True]
    headers = dict(letters[0].headers)
    assert headers["trace"] == b"x"
    assert headers["__streams.errors.topic"] == b"trades"
    assert (headers["__streams.errors.partition"], headers["__streams.errors.offset"]) == (b"0", b"1")
    assert headers["__streams.errors.exception"] == b"CodecError"
    assert b"JSON" in (headers["__streams.errors.message"] or b"")
    assert b"Traceback" in (headers["__streams.errors.stacktrace"] or b"")
    assert dict(letters[1].headers)["__streams.errors.message"] == b"no record: no timestamp"
    assert (run.report.records, run.report.dead_letters) == (2, 2)
    assert sum(run.report.drops.values()) == 2
    assert run.store("trade-aggregates")[0].value.count_trades == 2


class UnavailableCodec(Codec):
    """A codec whose registry is down."""

    def encode(self, value: Any) -> bytes | None:
        raise NotImplementedError

    def decode(self, data: bytes | None, _headers: Headers = ()) -> Any:
        del data
        raise CodecUnavailableError("the registry is down")


class UnavailableCodecs(JsonCodecs):
    def for_value(self, topic: str, value_type: Any) -> Codec:
        del topic, value_type
        return UnavailableCodec()


def test_an_unavailable_codec_fails_the_batch_and_writes_no_dead_letter() -> None:
    run = InProcessRun(find_flow("stock-stats").topology(), trades((b"a", TRADE, 1)), codecs=UnavailableCodecs())
    with pytest.raises(CodecUnavailableError):
        run.run()
    assert run.results("app-dead-letters") == []


def test_late_and_keyless_records_become_dead_letters_once_with_their_bytes() -> None:
    run = InProcessRun(find_flow("stock-stats").topology(), with_late_and_keyless_trades(), dead_letter_drops=True).run()
    letters = run.results("app-dead-letters")
    operator = "trade-aggregates-aggregate"
    assert [(letter.key, letter.value, dict(letter.headers)["__streams.errors.message"]) for letter in letters] == [
        (b"a", TRADE, f"operator '{operator}' dropped the record: late".encode()),
        (None, TRADE, f"operator '{operator}' dropped the record: null-key".encode()),
    ]
    assert [dict(letter.headers)["__streams.errors.offset"] for letter in letters] == [b"1", b"2"]
    assert run.report.drops == {(operator, "late"): 1, (operator, "null-key"): 1}
    assert run.report.late_windows == {operator: 2}


def test_without_the_option_dropped_records_are_only_counted() -> None:
    run = InProcessRun(find_flow("stock-stats").topology(), with_late_and_keyless_trades()).run()
    assert run.results("app-dead-letters") == []
    assert sum(run.report.drops.values()) == 2


def counts_by_type() -> Topology:
    """Return a topology that repartitions trades by their type and counts them per second."""
    builder = TopologyBuilder()
    (
        builder.stream("trades", key=str, value=Trade)
        .group_by(lambda _ticker, trade: str(trade.type), key=str, name="by-type")
        .windowed_by(tumbling(1_000, grace=0))
        .count(store="counts")
        .to_stream()
        .to("counts")
    )
    return builder.build()


def test_a_record_that_is_dropped_after_a_repartition_becomes_the_same_dead_letter_on_every_engine() -> None:
    on_spark = InProcessRun(counts_by_type(), with_late_and_keyless_trades(), dead_letter_drops=True).run()
    log = with_late_and_keyless_trades()
    options = RunOptions(application_id="app", emit="every-update", new_topic_partitions=1, dead_letter_drops=True)
    MemoryRun(counts_by_type(), memory_ports(log), options, MemoryClock()).run_available_now()

    def essence(letters: list[LogRecord]) -> list[tuple[bytes | None, bytes | None, int, Headers]]:
        return [(letter.key, letter.value, letter.timestamp, letter.headers) for letter in letters]

    letters = essence(on_spark.results("app-dead-letters"))
    assert letters == essence(all_records(log, "app-dead-letters"))
    ((key, value, timestamp, headers),) = letters
    assert (key, json.loads(value or b"")["ticker"], timestamp) == (b"ASK", "a", 1_000)
    reason = reason_in(headers)
    assert reason.message.endswith("dropped the record: late")
    assert (reason.topic, reason.partition, reason.offset) == ("app-by-type-repartition", 0, None)
    assert dict(headers)["__streams.errors.offset"] == str(NO_OFFSET).encode()
