"""The workers are prepared before the first batch; the requests are answered here in the process of the test."""

import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from unittest.mock import MagicMock

import pytest

from eddyline import Processor, Record, TopologyBuilder
from eddyline.adapters.files.event_log import FileEventLog
from eddyline.adapters.files.event_sink import FileEventSink
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.adapters.spark.exchange.frames import Frame, Kind, Sender
from eddyline.adapters.spark.failures import EngineError, Failure, WorkerError
from eddyline.adapters.spark.plan import SparkPlan, stage_line
from eddyline.adapters.spark.worker import preparation, run_server, stateless
from eddyline.adapters.spark.worker.broadcast import Broadcast
from eddyline.adapters.spark.worker.cache import CACHES
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.runtime.plan.changelogs import BatchProgress
from eddyline.application.runtime.plan.options import RunOptions, RunPorts
from eddyline.application.runtime.plan.run_plan import RunPlan
from tests.adapters.memory.running import built
from tests.adapters.spark.topologies import copied
from tests.adapters.spark.worker.local_servers import LocalServers

HANDLERS = {module.HANDLER: module.handle for module in (preparation, stateless)}
CALLS: list[str] = []
WRITES = threading.Event()


class SlowSink(FileEventSink):
    """Notes its calls; slots are slow to open."""

    def open_slot(self, writer: str, slot: int) -> None:
        del writer
        WRITES.wait(0.3)
        CALLS.append(f"opened {slot}")
        if slot == 1:
            raise RuntimeError("a problem that writing reports")

    def write(self, writer: str, slot: int, batch: int, records: Sequence[SinkRecord]) -> bool:
        WRITES.set()
        CALLS.append(f"written {slot}")
        return super().write(writer, slot, batch, records)


@pytest.fixture
def broadcast(tmp_path: Path) -> Iterator[Broadcast]:
    CALLS.clear()
    WRITES.clear()
    SlowSink(tmp_path).create_topic("lines", 2)
    FileEventSink(tmp_path).write("w", 0, 0, [SinkRecord("lines", None, b"x", 5, (), number) for number in (0, 1)])
    ports = RunPorts(FileEventLog(tmp_path), SlowSink(tmp_path), JsonCodecs(), MemoryStateStores())
    plan = RunPlan.of(copied("lines"), ports, RunOptions(application_id="app"))
    created = Broadcast(SparkPlan(plan, stage_line(plan.topology), tmp_path.name, groups=2), tmp_path.name)
    yield created
    CACHES.of(created).close()  # no slot is opened during the next test


def _prepare(broadcast: Broadcast, slots: Sequence[Sequence[int]]) -> None:
    prepare = preparation.preparer(broadcast, slots, broadcast.unpickle().task_ids())
    for task in (0, 1):
        prepare(task)


def _write(broadcast: Broadcast, slot: int) -> None:
    ranges = Frame(Sender(0, slot, 0), Kind.RANGES, 1_000, f'[["lines", {slot}, 0, 1]]'.encode())
    list(stateless.run_stateless(broadcast, stateless.StatelessBatch(0, slot, ranges, BatchProgress(0, 1_000, {})), slot))


@pytest.mark.parametrize("slot", [0, 1])
def test_a_slot_is_written_once_it_is_open(broadcast: Broadcast, monkeypatch: pytest.MonkeyPatch, slot: int) -> None:
    monkeypatch.setattr(run_server, "SERVERS", LocalServers(HANDLERS))
    plan = broadcast.unpickle()
    _prepare(broadcast, [plan.slots_of(task) for task in (0, 1)])
    _write(broadcast, slot)
    assert [call for call in CALLS if call.endswith(str(slot))] == [f"opened {slot}", f"written {slot}"]


def test_a_task_without_slots_opens_none(broadcast: Broadcast, monkeypatch: pytest.MonkeyPatch) -> None:
    servers = LocalServers(HANDLERS)
    monkeypatch.setattr(run_server, "SERVERS", servers)
    _prepare(broadcast, [[], []])
    _write(broadcast, 0)
    assert CALLS == ["written 0"]
    assert servers.questions == 1, "the plan is known before the slot is written"


def test_without_servers_the_first_batch_does_everything(broadcast: Broadcast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_server, "SERVERS", LocalServers(HANDLERS, available=False))
    _prepare(broadcast, [[0], [1]])
    _write(broadcast, 0)
    assert CALLS == ["written 0"]


class Closing(Processor[str, str, str, str]):
    """A processor that does something when it is closed."""

    def process(self, record: Record[str, str]) -> None:
        """Take a record."""

    def close(self) -> None:
        """Release something."""


def _closed_by(jobs: Sequence[Exception | None], broadcast: Broadcast, *, failed: bool = False) -> int:
    """Close the tasks of a run with a processor, in jobs that end so; return the number of jobs."""
    done = iter(jobs)
    session = MagicMock()

    def job(_function: object) -> None:
        error = next(done)
        if error is not None:
            raise error

    session.sparkContext.parallelize.return_value.foreach.side_effect = job

    def define(builder: TopologyBuilder) -> None:
        builder.stream("lines", key=str, value=str).process(Closing, key=str, value=str).to("copies")

    run = replace(broadcast.unpickle().run, topology=built(define))
    preparation.close_tasks(session, broadcast, replace(broadcast.unpickle(), run=run), failed=failed)
    return len(jobs) - len(list(done))


SLOW = RuntimeError("org.apache.spark.SparkException: Python worker failed to connect back.")
RAISED = WorkerError(Failure("LookupError", "gone", "", retryable=True))


def test_tasks_are_closed_once_more_if_a_worker_started_too_slowly(broadcast: Broadcast) -> None:
    assert _closed_by([None], broadcast) == 1
    assert _closed_by([SLOW, None], broadcast) == len([SLOW, None])
    assert _closed_by([RAISED], broadcast, failed=True) == 1


@pytest.mark.parametrize(("jobs", "reason"), [([SLOW] * 3, "failed to connect back"), ([RAISED], "LookupError: gone")])
def test_tasks_that_could_not_be_closed_end_the_run(broadcast: Broadcast, jobs: Sequence[Exception], reason: str) -> None:
    with pytest.raises(EngineError, match=reason) as raised:
        _closed_by(jobs, broadcast)
    assert not raised.value.retryable
