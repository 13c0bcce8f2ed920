"""The sums of prices are the same bits wherever batches end, on every engine; only the emitted rows in between differ."""

import json
from collections.abc import Callable, Mapping
from random import Random
from typing import TypeAlias

import pytest

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.event_sink import MemoryEventSink
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.application.runtime.plan.options import RunOptions
from eddyline.application.samples.catalogue import find_flow
from eddyline.application.topology import Topology
from tests.adapters.memory.running import run_of
from tests.fixtures.local_runs import local_engine, ports_of
from tests.runtime.plans import all_records

Run: TypeAlias = Callable[[Topology, MemoryEventLog, int], MemoryEventLog]


def _in_memory(topology: Topology, log: MemoryEventLog, batch: int) -> MemoryEventLog:
    run_of(topology, log, emit="latest", max_batch_records=batch).run_available_now()
    return log


def _on_local(topology: Topology, log: MemoryEventLog, batch: int) -> MemoryEventLog:
    written = MemoryEventLog()
    ports = ports_of(log, MemoryEventSink(written), JsonCodecs(), MemoryStateStores())
    options = RunOptions(application_id="app", emit="latest", max_batch_records=batch, new_topic_partitions=1)
    local_engine(topology, ports, options).run_available_now()
    return written


def _log(topic: str, records: int) -> MemoryEventLog:
    random, log = Random(7), MemoryEventLog()
    log.create_topic(topic, 1)
    for number in range(records):
        ticker = random.choice(["AA", "BB"])
        trade = {"type": "ASK", "ticker": ticker, "price": random.lognormvariate(3, 4), "size": 1}
        log.append(topic, ticker.encode(), json.dumps(trade).encode(), number * 10, arrival=number)
    return log


def _rows(run: Run, flow: str, source: str, sink: str, batch: int) -> Mapping[bytes | None, bytes | None]:
    written = run(find_flow(flow).topology(), _log(source, 500), batch)
    return {record.key: record.value for record in all_records(written, sink)}


@pytest.mark.parametrize(
    ("flow", "source", "sink"), [("stock-stats", "trades", "stock-stats"), ("daily-range", "prices", "daily-ranges")]
)
@pytest.mark.parametrize("run", [_in_memory, _on_local])
def test_rows_do_not_depend_on_where_batches_end(flow: str, source: str, sink: str, run: Run) -> None:
    expected = _rows(_in_memory, flow, source, sink, 500)
    assert expected
    assert [_rows(run, flow, source, sink, batch) == expected for batch in (30, 120)] == [True, True]
