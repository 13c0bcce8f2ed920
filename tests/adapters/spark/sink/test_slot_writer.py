"""The results of a batch are written slot by slot."""

from collections.abc import Sequence

from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.application.ports.event_sink import EventSink, SinkRecord
from eddyline.application.topology import TopologyBuilder
from tests.adapters.spark.in_process import InProcessRun


class ListSink(EventSink):
    """Lists topic and key of all records in the order in which they were written."""

    def __init__(self) -> None:
        self.written: list[tuple[str, bytes | None]] = []

    def create_topic(self, topic: str, partitions: int) -> None:
        """Do nothing."""

    def write(self, writer: str, slot: int, batch: int, records: Sequence[SinkRecord]) -> bool:
        del writer, slot, batch
        self.written += [(record.topic, record.key) for record in records]
        return True


def value_of(_key: str, value: str) -> str:
    return value


def test_by_arrival_the_results_of_all_topics_are_written_in_one_sequence() -> None:
    builder = TopologyBuilder()
    lines = builder.stream("lines", key=str, value=str)
    lines.to("first")
    lines.select_key(value_of).group_by_key().count(store="counts").to_stream().to("second")
    log = MemoryEventLog()
    log.create_topic("lines", 2)
    for number in range(6):
        log.append("lines", b"k", b"v%d" % (number % 2), number, partition=number % 2, arrival=number)
    sink = ListSink()
    InProcessRun(builder.build(), log, order="arrival", sink=sink).run(max_batch_records=4)
    assert [topic for topic, _ in sink.written] == ["first", "second"] * 6
    assert [key for topic, key in sink.written if topic == "second"] == [b"v0", b"v1"] * 3
