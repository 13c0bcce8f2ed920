"""Records that fail end a run on Spark with their position, or the run goes on without them, as on the memory engine."""

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from eddyline.adapters.memory.clock import MemoryClock
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.run import MemoryRun
from eddyline.adapters.spark.failures import EngineError
from eddyline.application.ports.codec import CodecError
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.runtime.plan.dead_letters import reason_in
from eddyline.application.runtime.plan.options import RunOptions
from eddyline.application.topology import Topology, TopologyBuilder
from tests.adapters.spark.in_process import InProcessRun
from tests.adapters.spark.running import Workspace
from tests.runtime.failing_flows import none, set_of_bad
from tests.runtime.plans import all_records, memory_ports

NOTE = "operator 'checked' of task 1_0, record words-repartition-0@1, key 'bad'"


def only_good(word: str, count: int) -> int:
    if word == "bad":
        raise LookupError("a bad word")
    return count


def counted() -> Topology:
    """Return a topology that fails after a repartition and a store."""
    builder = TopologyBuilder()
    words = builder.stream("lines", key=str, value=str).group_by(lambda _key, word: word, key=str, name="words")
    words.count(store="counts").to_stream().map_values(only_good, with_key=True, name="checked").to("counts")
    return builder.build()


def unstorable() -> Topology:
    builder = TopologyBuilder()
    lines = builder.stream("lines", key=str, value=str).group_by_key()
    last = lines.aggregate(none, set_of_bad, value=Any, store="last")
    last.to_stream().filter(lambda _key, value: isinstance(value, str)).to("counts")
    return builder.build()


def log_of(*words: bytes) -> MemoryEventLog:
    log = MemoryEventLog()
    log.create_topic("lines", 1)
    for number, word in enumerate(words):
        log.append("lines", b"k", word, number)
    return log


@pytest.mark.parametrize("topology", [counted(), unstorable()])
def test_results_state_and_dead_letters_equal_those_of_a_run_in_memory(topology: Topology) -> None:
    words = (b"a", b"bad", b"a", b"b", b"bad")
    run = InProcessRun(topology, log_of(*words), processing_exception_handler="dead-letter").run(max_batch_records=2)
    log = log_of(*words)
    options = RunOptions(
        application_id="app", emit="every-update", new_topic_partitions=1, processing_exception_handler="dead-letter"
    )
    memory = MemoryRun(topology, memory_ports(log), options, MemoryClock()).run_available_now()
    assert [record.value for record in run.results("counts")] == [record.value for record in all_records(log, "counts")]
    assert [letter[4:6] for letter in run.results("app-dead-letters")] == [
        letter[4:6] for letter in all_records(log, "app-dead-letters")
    ]
    assert len(run.results("app-dead-letters")) == run.report.dead_letters == memory.dead_letters == 2
    assert run.report.drops == memory.drops
    assert {row.key for row in run.store("counts" if "counts" in topology.stores else "last")} <= {"a", "b", "k"}


def test_by_default_state_that_cannot_be_stored_names_operator_store_key_and_setting() -> None:
    with pytest.raises(CodecError) as raised:
        InProcessRun(unstorable(), log_of(b"a", b"bad")).run()
    (note,) = raised.value.__notes__
    assert note.startswith("operator 'last-aggregate, store last' of task 0_0, no record, key 'k'; ")
    assert "processing.exception.handler" in note


@pytest.mark.spark
def test_the_error_of_the_engine_names_the_record_and_the_setting(spark: SparkSession, tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    words = (b"a", b"bad", b"b")
    workspace.append("lines", 1, [SinkRecord("lines", b"k", word, number) for number, word in enumerate(words)])
    with pytest.raises(EngineError) as raised:
        workspace.engine(counted(), spark, emit="every-update").run_available_now()
    assert str(raised.value) == (
        f"LookupError: a bad word; {NOTE}, event time 1970-01-01T00:00:00.001Z; "
        "to go on without such records, set processing.exception.handler to 'continue' or 'dead-letter'"
    )
    report = workspace.engine(
        counted(), spark, emit="every-update", processing_exception_handler=lambda _context, _error: "dead-letter"
    ).run_available_now()
    assert report.dead_letters == 1
    assert sorted(record.key or b"" for record in workspace.records("counts")) == [b"a", b"b"]
    (letter,) = workspace.records("app-dead-letters")
    assert (letter.key, letter.value) == (b"bad", b'"bad"')
    assert reason_in(letter.headers).operator == "checked"
