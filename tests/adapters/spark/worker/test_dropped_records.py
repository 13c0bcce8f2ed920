"""Records that a step leaves out can go to the dead letters, raw, with the step and the reason."""

import json

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.clock import MemoryClock
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.event_sink import MemoryEventSink
from eddyline.adapters.memory.run import MemoryRun
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.application.runtime.dead_letters import NO_OFFSET, reason_in
from eddyline.application.runtime.options import RunOptions, RunPorts
from eddyline.application.samples.catalogue import find_flow
from eddyline.application.topology import TopologyBuilder, tumbling
from eddyline.domain.trading import Trade
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
    run = InProcess(find_flow("stock-stats").topology(), trades(), dead_letter_drops=True).run()
    letters = run.results("app-dead-letters")
    step = "trade-aggregates-aggregate"
    assert [(letter.key, letter.value, dict(letter.headers)["__streams.errors.message"]) for letter in letters] == [
        (b"a", TRADE, f"operator '{step}' dropped the record: late".encode()),
        (None, TRADE, f"operator '{step}' dropped the record: null-key".encode()),
    ]
    assert [dict(letter.headers)["__streams.errors.offset"] for letter in letters] == [b"1", b"2"]
    assert run.report.drops == {(step, "late"): 2, (step, "null-key"): 1}


def test_without_the_setting_they_are_only_counted() -> None:
    run = InProcess(find_flow("stock-stats").topology(), trades()).run()
    assert run.results("app-dead-letters") == []
    assert sum(run.report.drops.values()) == 3


def rekeyed(builder: TopologyBuilder) -> None:
    """Counts trades in windows by the side they are on, which is not their key."""
    (
        builder.stream("trades", key=str, value=Trade)
        .group_by(lambda _ticker, trade: str(trade.type), key=str, name="by-type")
        .windowed_by(tumbling(1_000, grace=0))
        .count(store="counts")
        .to_stream()
        .to("counts")
    )


def test_behind_a_repartition_they_arrive_as_they_came_through_it_on_every_engine() -> None:
    builder = TopologyBuilder()
    rekeyed(builder)
    topology = builder.build()
    on_spark = InProcess(topology, trades(), dead_letter_drops=True).run()
    in_memory = trades()
    MemoryRun(
        topology,
        RunPorts(in_memory, MemoryEventSink(in_memory), JsonCodecs(), MemoryStateStores()),
        RunOptions(application_id="app", emit="every-update", new_topic_partitions=1, dead_letter_drops=True),
        MemoryClock(),
    ).run_available_now()
    found = [in_memory.read("app-dead-letters", 0, 0, in_memory.end_offset("app-dead-letters", 0))]
    written = [record for batches in found for batch in batches for record in batch]
    told = [(letter.key, letter.value, letter.timestamp, letter.headers) for letter in on_spark.results("app-dead-letters")]
    assert told == [(letter.key, letter.value, letter.timestamp, letter.headers) for letter in written]
    ((key, value, timestamp, headers),) = told
    assert (key, json.loads(value or b"")["ticker"], timestamp) == (b"ASK", "a", 1_000)
    reason = reason_in(headers)
    assert reason.message.endswith("dropped the record: late")
    assert (reason.topic, reason.partition, reason.offset) == ("app-by-type-repartition", 0, None)
    assert dict(headers)["__streams.errors.offset"] == str(NO_OFFSET).encode()
