"""The order in which a task calls its processors, and what they may do at each point."""

from typing import Any

import pytest

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.clock import MemoryClock
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.event_sink import MemoryEventSink
from eddyline.adapters.memory.run import MemoryRun
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.application.runtime.plan.options import RunOptions, RunPorts
from eddyline.application.topology import TopologyBuilder
from eddyline.application.topology.processor import Processor, ProcessorContext, Record, ValueTransformerWithKey
from eddyline.testing import MemoryEngine
from tests.fixtures.local_runs import local_engine, ports_of

CALLS: list[str] = []


@pytest.fixture(autouse=True)
def _no_calls() -> None:
    CALLS.clear()


class Collecting(Processor[str, int, str, int]):
    """Forwards at each commit what it has collected, and notes each call."""

    name = "first"

    def init(self, context: ProcessorContext[str, int]) -> None:
        super().init(context)
        self.collected: list[Record[str, int]] = []
        CALLS.append(f"init {self.name}")

    def process(self, record: Record[str, int]) -> None:
        CALLS.append(f"process {self.name} {record.value}")
        self.collected.append(record)

    def on_commit(self) -> None:
        CALLS.append(f"commit {self.name}")
        for record in self.collected:
            self.context.forward(record)
        self.collected.clear()

    def close(self) -> None:
        CALLS.append(f"close {self.name}")


class Second(Collecting):
    name = "second"


def two_processors() -> Any:
    builder = TopologyBuilder()
    stream = builder.stream("numbers", key=str, value=int)
    stream.process(Collecting, key=str, value=int, name="one").process(Second, key=str, value=int, name="two").to("out")
    return builder.build()


ORDER = [
    "process first 1",
    "process first 2",
    "commit first",
    "process second 1",
    "process second 2",
    "commit second",
    "close first",
    "close second",
]


def test_the_memory_engine_calls_upstream_processors_first() -> None:
    engine = MemoryEngine(two_processors())
    engine.pipe_all([("numbers", "a", 1, 0), ("numbers", "a", 2, 0)])
    assert [output.value for output in engine.outputs("out")] == [1, 2]
    engine.close()
    engine.close()
    expected = [*ORDER[:-2], "commit first", "commit second", *ORDER[-2:]]
    assert [call for call in CALLS if not call.startswith("init")] == expected


def log_of(*numbers: int) -> MemoryEventLog:
    log = MemoryEventLog()
    log.create_topic("numbers", 1)
    for number in numbers:
        log.append("numbers", b'"a"', str(number).encode(), 0)
    return log


@pytest.mark.parametrize("engine", ["memory", "local"])
def test_a_run_calls_upstream_processors_first(engine: str) -> None:
    written = MemoryEventLog()
    options = RunOptions(application_id="lifecycle", new_topic_partitions=1)
    if engine == "local":
        ports = ports_of(log_of(1, 2), MemoryEventSink(written), JsonCodecs(), MemoryStateStores())
        local_engine(two_processors(), ports, options).run_available_now()
    else:
        ports = RunPorts(log_of(1, 2), MemoryEventSink(written), JsonCodecs(), MemoryStateStores())
        run = MemoryRun(two_processors(), ports, options, MemoryClock())
        run.run_available_now()
        run.close()
    assert [call for call in CALLS if not call.startswith("init")] == ORDER
    assert [record.value for batch in written.read("out", 0, 0, 2) for record in batch] == [b"1", b"2"]


class Late(Processor[str, int, str, int]):
    """Forwards what is left when it is too late."""

    def process(self, record: Record[str, int]) -> None:
        self.left = record

    def close(self) -> None:
        self.context.forward(self.left)


def test_a_processor_cannot_forward_after_the_last_commit() -> None:
    builder = TopologyBuilder()
    builder.stream("numbers", key=str, value=int).process(Late, key=str, value=int, name="late").to("out")
    engine = MemoryEngine(builder.build())
    engine.pipe("numbers", "a", 1, 0)
    with pytest.raises(RuntimeError, match=r"processor 'late' forwards a record in close\(\), .* in on_commit\(\)"):
        engine.close()


def test_all_processors_are_closed_if_one_fails() -> None:
    class Failing(Collecting):
        def close(self) -> None:
            raise OSError("no connection")

    builder = TopologyBuilder()
    builder.stream("numbers", key=str, value=int).process(Failing, key=str, value=int).process(Second, key=str, value=int).to(
        "out"
    )
    with pytest.raises(OSError, match="no connection"):
        MemoryEngine(builder.build()).close()
    assert CALLS[-1] == "close second"


def test_a_failure_at_a_commit_is_passed_to_the_handler() -> None:
    class Failing(Collecting):
        def on_commit(self) -> None:
            raise ValueError("rejected")

    builder = TopologyBuilder()
    builder.stream("numbers", key=str, value=int).process(Failing, key=str, value=int, name="one").to("out")
    topology = builder.build()
    engine = MemoryEngine(topology, processing_exception_handler="continue")
    engine.pipe("numbers", "a", 1, 0)
    engine.commit()
    assert [(failure.context.operator, str(failure.error)) for failure in engine.failures] == [("one", "rejected")]
    with pytest.raises(ValueError, match="rejected") as error:
        MemoryEngine(topology).commit()
    assert "operator 'one'" in "".join(error.value.__notes__)


def test_a_processor_requests_a_commit() -> None:
    class Requesting(Collecting):
        def process(self, record: Record[str, int]) -> None:
            super().process(record)
            if record.value > 1:
                self.context.commit()

    builder = TopologyBuilder()
    builder.stream("numbers", key=str, value=int).process(Requesting, key=str, value=int).to("out")
    engine = MemoryEngine(builder.build())
    engine.pipe("numbers", "a", 1, 0)
    assert not engine.outputs()
    engine.pipe("numbers", "a", 2, 0)
    assert [output.value for output in engine.outputs()] == [1, 2]


def test_a_transformer_is_called_at_commits_and_at_its_end() -> None:
    class Doubling(ValueTransformerWithKey[str, int, int]):
        def transform(self, _key: str, value: int | None) -> int | None:
            return value and 2 * value

        def on_commit(self) -> None:
            CALLS.append("commit")

        def close(self) -> None:
            CALLS.append("close")

    builder = TopologyBuilder()
    builder.table("numbers", key=str, value=int).transform_values(Doubling, value=int).to_stream().to("out")
    MemoryEngine(builder.build()).close()
    assert CALLS == ["commit", "close"]
