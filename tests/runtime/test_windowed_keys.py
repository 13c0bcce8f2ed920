"""Results with windowed keys are in the partition of the key inside, in runs and in tests; a repartition hashes the whole key."""

from typing import Any

import pytest

from eddyline import Processor, Record, TopologyBuilder, hopping
from eddyline.adapters.codecs.windowed_keys import WindowedKeyCodecs
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.engine import MemoryEngine
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.application.operators.output import Output
from eddyline.application.ports.codec import Codecs
from eddyline.application.runtime.output.record_collector import RecordCollector
from eddyline.application.runtime.plan.partitioner import partition_for
from eddyline.application.topology import Window, Windowed
from tests.runtime.outlets import ListOutlet
from tests.runtime.plans import run_plan

PARTITIONS = 6
KEYS = ["ann", "bob", "eve", "kim"]
WINDOWED = [Windowed(key, Window(start, start + 40)) for start in range(0, 90, 10) for key in KEYS]


def _counts(builder: TopologyBuilder) -> None:
    group: Any = builder.stream("in", key=str, value=str).group_by_key().windowed_by(hopping(40, advance=10, grace=0))
    group.count(store="s").to_stream().to("out")


def _topology(define: Any) -> Any:
    builder = TopologyBuilder()
    define(builder)
    return builder.build()


def _fail(output: Output) -> None:
    raise AssertionError(output)


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("codecs", [JsonCodecs(), WindowedKeyCodecs(JsonCodecs(), {"out": 40})])
def test_the_windows_of_a_key_are_in_the_partition_of_the_key(codecs: Codecs, *, at_once: bool) -> None:
    topology, log, outlet = _topology(_counts), MemoryEventLog(), ListOutlet()
    log.create_topic("in", 1)
    log.create_topic("out", PARTITIONS)
    collector = RecordCollector(run_plan(topology, log, codecs=codecs), 0, outlet, _fail)
    sink = next(node for node in topology.nodes if node.name == topology.nodes[-1].name)
    outputs = [Output("out", key, 1, 0, (), sink) for key in WINDOWED]
    if at_once:
        collector.collect(outputs)
    else:
        for output in outputs:
            collector.collect([output])
    decode = codecs.for_key("out", Windowed[str]).decode
    records = [sent.record for sent in outlet.sent] + [record for results in outlet.results for record in results.records()]
    found = {decode(record.key): record.partition for record in records}
    assert found == {key: partition_for(key.key.encode(), PARTITIONS) for key in WINDOWED}


class _Partition(Processor[Any, int, Any, int]):
    def init(self, context: Any) -> None:
        self._context = context

    def process(self, record: Record[Any, int]) -> None:
        self._context.forward(record.with_value(self._context.record_metadata.partition))


def test_the_memory_engine_delivers_a_windowed_key_to_the_partition_of_the_key() -> None:
    def define(builder: TopologyBuilder) -> None:
        _counts(builder)
        builder.stream("out", key=Windowed[str], value=int).process(_Partition, key=Windowed[str], value=int).to("copied")

    engine = MemoryEngine(_topology(define), partitions={"in": 1, "out": PARTITIONS})
    for time in range(0, 90, 10):
        engine.pipe("in", "ann", "x", time)
    assert {output.value for output in engine.outputs("copied")} == {partition_for(b"ann", PARTITIONS)}
