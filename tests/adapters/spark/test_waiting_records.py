"""Records of repartition topics that wait for the next batch survive failures, and workers that lose their caches."""

from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.application.topology import Topology, TopologyBuilder
from tests.adapters.spark.in_process import InProcessRun

_ROWS, _RECORDS = 40, 15


def rekeyed_and_joined() -> Topology:
    builder = TopologyBuilder()
    rows = builder.table("rows", key=str, value=str)
    rekeyed = builder.stream("lines", key=str, value=str).select_key(lambda _key, _line: "k", key=str)
    rekeyed.left_join(rows, lambda line, row: f"{line}/{row}", value=str).to("out")
    return builder.build()


def test_waiting_records_are_neither_lost_nor_processed_twice() -> None:
    log = MemoryEventLog()
    log.create_topic("rows", 1)
    log.create_topic("lines", 1)
    for number in range(_ROWS):
        log.append("rows", b"k", b"r%d" % number, number)
    for number in range(_RECORDS):
        log.append("lines", b"l", b"l%d" % number, 100 + number)
    run = InProcessRun(rekeyed_and_joined(), log, seed=1)
    run.run(max_batch_records=5, failure_rate=0.3, cache_loss_rate=0.3)
    assert [record.value for record in run.results("out")] == [b"l%d/r39" % number for number in range(_RECORDS)]
    assert run.report.records == _ROWS + _RECORDS
