"""Sub-topologies that feed each other: docs/explanation/decisions/0005-no-cycles-on-spark.md."""

import pytest

from eddyline.adapters.memory.engine import MemoryEngine
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.spark.plan import stage_line
from eddyline.application.topology import Topology, TopologyBuilder, TopologyError
from tests.adapters.spark.in_process import InProcessRun
from tests.adapters.spark.topologies import counts_joined_with_their_input


def cut_by_a_topic() -> Topology:
    builder = TopologyBuilder()
    lines = builder.stream("lines", key=str, value=str)
    counts = lines.group_by(lambda _key, line: line, key=str, name="by-line").count(store="counts")
    latest = counts.to_stream().through("counts-by-line").to_table(store="latest-counts")
    lines.left_join(latest, lambda line, count: f"{line} {count}", value=str).to("out")
    return builder.build()


def test_limitation_spark_refuses_a_cycle_that_the_memory_engine_runs() -> None:
    topology = counts_joined_with_their_input()
    engine = MemoryEngine(topology)
    for timestamp in range(2):
        engine.pipe("lines", "a", "a", timestamp)
    assert [output.value for output in engine.outputs("out")] == ["a 1"]
    with pytest.raises(TopologyError, match=r"in a cycle, which Spark does not support: .*\.through\(topic\)"):
        stage_line(topology)


def test_a_topic_cuts_a_cycle_and_its_records_take_a_batch_more() -> None:
    log = MemoryEventLog()
    for topic in ("lines", "counts-by-line"):
        log.create_topic(topic, 1)
    run = InProcessRun(cut_by_a_topic(), log)
    for timestamp in range(3):
        log.append("lines", b"a", b"a", timestamp)
        run.run()
    assert [record.value for record in run.results("out")] == [b"a None", b"a 1", b"a 2"]
