"""A state is redistributed by key over another number of tasks, and results stay the same."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eddyline import Processor, Record, Topology, TopologyBuilder, key_value_store, tumbling
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.spark.driver.moved_state import write_tasks
from eddyline.adapters.spark.state.portable import ImportedState
from eddyline.application.operations.exported_state import ExportedTask, WaitingRecord
from eddyline.application.operations.rescale import RescaleError, rescale
from eddyline.application.ports.event_log import LogRecord
from eddyline.application.runtime.plan.partitioner import partition_for
from tests.adapters.spark.in_process import InProcessRun
from tests.fixtures.examples import examples

CODECS = JsonCodecs()


def by_word() -> Topology:
    builder = TopologyBuilder()
    words = builder.stream("words", key=str, value=str).group_by(lambda _key, word: word, key=str, name="word")
    words.count(store="counts").to_stream().to("counts")
    minutes = words.windowed_by(tumbling(60, grace=1_000)).count(store="per-minute").to_stream()
    minutes.map(lambda key, count: (f"{key.key}@{key.window.start}", count), key=str, value=int).to("per-minute")
    lengths = builder.stream("words", key=str, value=str).group_by(lambda _key, word: len(word), key=int, name="length")
    lengths.count(store="lengths").to_stream().to("lengths")
    return builder.build()


def filled(log: MemoryEventLog, words: list[str], start: int = 0) -> MemoryEventLog:
    for number, word in enumerate(words, start):
        log.append("words", b"k", word.encode(), number * 10, partition=number % 2)
    return log


def new_log() -> MemoryEventLog:
    log = MemoryEventLog()
    log.create_topic("words", 2)
    return log


def latest(records: list[LogRecord]) -> dict[bytes | None, bytes | None]:
    return {record.key: record.value for record in records}


words = st.lists(st.sampled_from(["a", "b", "cc", "ddd", "eeee", "ff", "ggggg"]), max_size=30)


@settings(max_examples=examples(20))
@given(first=words.filter(bool), second=words, tasks=st.integers(min_value=1, max_value=7))
def test_results_do_not_change_with_the_number_of_tasks(
    tmp_path_factory: pytest.TempPathFactory, first: list[str], second: list[str], tasks: int
) -> None:
    topology, folder = by_word(), tmp_path_factory.mktemp("imported")
    plain = InProcessRun(topology, filled(filled(new_log(), first), second, len(first))).run()
    before = InProcessRun(topology, filled(new_log(), first)).run()
    state = rescale(before.exported(), topology, CODECS, tasks).state
    write_tasks(folder, topology, state.tasks)
    filled(before.log, second, len(first))
    imported = ImportedState(str(folder), {topic: list(numbers) for topic, numbers in state.offsets.items()})
    after = InProcessRun(topology, before.log, imported=imported, kept=state.partitions).run()
    assert set(after.plan.run.repartition_partitions.values()) == {tasks}
    for store in topology.stores:
        assert after.store(store) == plain.store(store), store
    for topic in ("counts", "per-minute", "lengths"):
        if topic in plain.log.topics():
            assert latest(after.results(topic)) == latest(plain.results(topic)), topic
    for task in state.tasks:
        for store, key, _ in task.entries:
            if store == "counts":
                assert partition_for(key.strip(b'"'), tasks) == task.task


def test_what_reads_an_input_topic_keeps_its_tasks() -> None:
    topology = by_word()
    run = InProcessRun(topology, filled(new_log(), ["a"])).run()
    (kept,) = rescale(run.exported(), topology, CODECS, 4).kept
    assert kept.startswith("what reads 'words' has as many tasks as this topic has partitions")


def counted_by_key() -> Topology:
    builder = TopologyBuilder()
    builder.stream("words", key=str, value=str).group_by_key().count(store="counts")
    return builder.build()


class Nothing(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        """Ignore the record."""


def with_processor() -> Topology:
    builder = TopologyBuilder()
    builder.add_state_store(key_value_store("own", key=str, value=str))
    stream = builder.stream("words", key=str, value=str).repartition(name="again")
    stream.process(Nothing, stores=["own"], name="nothing")
    return builder.build()


def with_partitioner() -> Topology:
    builder = TopologyBuilder()
    stream = builder.stream("words", key=str, value=str)
    stream.repartition(name="again", partitioner=lambda _key, _value, _count: 0).group_by_key().count(store="counts")
    return builder.build()


@pytest.mark.parametrize(
    ("topology", "reason"),
    [
        (counted_by_key(), "what reads 'words' has as many tasks as this topic has partitions; add .repartition()"),
        (with_processor(), "has operator 'nothing', whose state belongs to its task"),
        (with_partitioner(), "repartition topic 'again-repartition' has a partitioner"),
    ],
)
def test_a_state_that_cannot_be_rescaled_is_refused_with_the_reason(topology: Topology, reason: str) -> None:
    run = InProcessRun(topology, filled(new_log(), ["a"])).run()
    with pytest.raises(RescaleError, match="no sub-topology can be rescaled") as raised:
        rescale(run.exported(), topology, CODECS, 4)
    assert reason in str(raised.value)


def test_a_number_below_one_and_waiting_records_are_refused(tmp_path: Path) -> None:
    del tmp_path
    topology = by_word()
    state = InProcessRun(topology, filled(new_log(), ["a"])).run().exported()
    with pytest.raises(RescaleError, match="cannot have 0 tasks"):
        rescale(state, topology, CODECS, 0)
    waiting = ExportedTask(("word-repartition",), 0, [], [], [WaitingRecord("word-repartition", 0, 1, b"a", b"b", ())])
    with pytest.raises(RescaleError, match="run the flow with --available-now first"):
        rescale(type(state)(**{**vars(state), "tasks": [waiting]}), topology, CODECS, 2)
