"""In the order of arrival, results are written by a server process; its requests are answered here in the process of the test."""

from pathlib import Path

import pytest

from eddyline.adapters.files.event_log import FileEventLog
from eddyline.adapters.files.event_sink import FileEventSink
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.adapters.spark.exchange.columns import Packed, pack_records
from eddyline.adapters.spark.exchange.frames import Frame, Kind, Sender, unpack_frame
from eddyline.adapters.spark.exchange.reports import unpack_report, unpack_written
from eddyline.adapters.spark.plan import SparkPlan, stage_line
from eddyline.adapters.spark.sink import arrival_server
from eddyline.adapters.spark.sink.arrival_server import written
from eddyline.adapters.spark.worker import run_server
from eddyline.adapters.spark.worker.broadcast import Broadcast
from eddyline.application.runtime.plan.changelogs import BatchProgress
from eddyline.application.runtime.plan.options import RunOptions, RunPorts
from eddyline.application.runtime.plan.run_plan import RunPlan
from tests.adapters.spark.topologies import copied
from tests.adapters.spark.worker.local_servers import LocalServers

HANDLERS = {arrival_server.HANDLER: arrival_server.handle}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    FileEventSink(tmp_path).create_topic("lines", 1)
    return tmp_path


def _broadcast(folder: Path, owner: str = "app-1") -> Broadcast:
    ports = RunPorts(FileEventLog(folder), FileEventSink(folder), JsonCodecs(), MemoryStateStores())
    plan = RunPlan.of(copied("lines"), ports, RunOptions(application_id="app", order="arrival"))
    return Broadcast(SparkPlan(plan, stage_line(plan.topology), owner, groups=2), owner)


def _results(*values: bytes) -> list[Frame]:
    (body,) = pack_records(Packed("copy", None, value, 5) for value in values)
    return [Frame(Sender(0, 0, 0), Kind.RESULTS, 0, body)]


def _batch(number: int) -> BatchProgress:
    return BatchProgress(number, 1_000, {})


def _values(folder: Path) -> list[bytes | None]:
    log = FileEventLog(folder)
    partitions = range(log.partitions("copy"))
    return [
        record.value
        for number in partitions
        for batch in log.read("copy", number, 0, log.end_offset("copy", number))
        for record in batch
    ]


@pytest.mark.parametrize("available", [True, False])
def test_a_batch_is_written_and_reported_with_and_without_a_server(
    folder: Path, monkeypatch: pytest.MonkeyPatch, *, available: bool
) -> None:
    monkeypatch.setattr(run_server, "SERVERS", LocalServers(HANDLERS, available=available))
    report, counts = written(_broadcast(folder, f"app-{available}"), _batch(1), _results(b"a", b"b"))
    assert unpack_report(unpack_frame(report).body).transactions == {"committed": 1}
    assert unpack_written(unpack_frame(counts).body) == {"copy": 2}
    assert _values(folder) == [b"a", b"b"]


def test_the_plan_is_sent_once_for_each_run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    servers = LocalServers(HANDLERS)
    monkeypatch.setattr(run_server, "SERVERS", servers)
    first = _broadcast(folder, "app-twice")
    for number in (1, 2):
        written(first, _batch(number), _results(b"%d" % number))
    assert servers.questions == 1
    written(_broadcast(folder, "app-twice"), _batch(3), _results(b"3"))
    assert servers.questions == 2
    assert sorted(value or b"" for value in _values(folder)) == [b"1", b"2", b"3"]


def test_a_repeated_batch_is_written_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_server, "SERVERS", LocalServers(HANDLERS))
    broadcast = _broadcast(folder, "app-repeated")
    for _ in range(2):
        written(broadcast, _batch(4), _results(b"once"))
    assert _values(folder) == [b"once"]
