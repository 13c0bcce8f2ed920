"""Stateless tasks run in server processes; the requests are handled in the process of the test."""

from pathlib import Path

import pytest

from eddyline.adapters.files.event_log import FileEventLog
from eddyline.adapters.files.event_sink import FileEventSink
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.adapters.spark.exchange.frames import Frame, Kind, Sender, unpack_frame
from eddyline.adapters.spark.plan import SparkPlan, stage_line
from eddyline.adapters.spark.worker import run_server, stateless
from eddyline.adapters.spark.worker.broadcast import Broadcast
from eddyline.adapters.spark.worker.cache import CACHES
from eddyline.application.ports.event_log import OffsetOutOfRangeError
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.runtime.plan.changelogs import BatchProgress
from eddyline.application.runtime.plan.options import RunOptions, RunPorts
from eddyline.application.runtime.plan.run_plan import RunPlan
from tests.adapters.spark.topologies import copied
from tests.adapters.spark.worker.local_servers import LocalServers


@pytest.fixture
def broadcast(tmp_path: Path) -> Broadcast:
    sink = FileEventSink(tmp_path)
    sink.create_topic("lines", 1)
    sink.write("w", 0, 1, [SinkRecord("lines", None, value, 5) for value in (b"a", b"b", b"c")])
    ports = RunPorts(FileEventLog(tmp_path), sink, JsonCodecs(), MemoryStateStores())
    plan = RunPlan.of(copied("lines"), ports, RunOptions(application_id="app", new_topic_partitions=1))
    return Broadcast(SparkPlan(plan, stage_line(plan.topology), tmp_path.name, groups=1), tmp_path.name)


def _values(broadcast: Broadcast, start: int, end: int) -> list[bytes | None]:
    ranges = Frame(Sender(0, 0, 0), Kind.RANGES, 1_000, f'[["lines", 0, {start}, {end}]]'.encode())
    batch = stateless.StatelessBatch(0, 0, ranges, BatchProgress(end, 1_000, {}))
    kinds = {unpack_frame(row.frame).kind for row in stateless.run_stateless(broadcast, batch, 0)}
    assert kinds == {Kind.REPORT, Kind.WRITTEN}
    log = broadcast.unpickle().run.ports.log
    written = [record.value for some in log.read("copy", 0, 0, log.end_offset("copy", 0)) for record in some]
    return written[start - end :]


@pytest.mark.parametrize("available", [True, False])
def test_a_task_runs_with_and_without_a_server(broadcast: Broadcast, monkeypatch: pytest.MonkeyPatch, *, available: bool) -> None:
    servers = LocalServers({stateless.HANDLER: stateless.handle}, available=available)
    monkeypatch.setattr(run_server, "SERVERS", servers)
    assert _values(broadcast, 0, 2) == [b"a", b"b"]
    assert _values(broadcast, 2, 3) == [b"c"]
    assert servers.questions == (1 if available else 0), "a server asks once for the plan of a run"


def test_a_task_that_has_failed_is_not_used_again(broadcast: Broadcast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_server, "SERVERS", LocalServers({stateless.HANDLER: stateless.handle}))
    _values(broadcast, 0, 1)
    cache = CACHES.of(broadcast)
    before = cache.take_stateless(0, 0, 0)
    cache.put_stateless(0, 0, before)
    with pytest.raises(OffsetOutOfRangeError):
        _values(broadcast, 1, 9)
    assert cache.take_stateless(0, 0, 0) is not before
    assert _values(broadcast, 1, 3) == [b"b", b"c"]
