"""Tasks run in server processes, with the state and the timers of Spark; the requests are handled in the process of the test."""

from pathlib import Path
from typing import Any

import pytest

from eddyline.adapters.files.event_log import FileEventLog
from eddyline.adapters.files.event_sink import FileEventSink
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.adapters.spark.exchange.frames import Frame, Kind, Sender, unpack_frame
from eddyline.adapters.spark.plan import SparkPlan, stage_line
from eddyline.adapters.spark.worker import run_server, task_server
from eddyline.adapters.spark.worker.broadcast import Broadcast
from eddyline.adapters.spark.worker.cache import CACHES
from eddyline.adapters.spark.worker.task_server import TaskBatch, processed
from eddyline.application.ports.event_log import OffsetOutOfRangeError
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.runtime.plan.changelogs import BatchProgress
from eddyline.application.runtime.plan.options import RunOptions, RunPorts
from eddyline.application.runtime.plan.run_plan import RunPlan
from eddyline.application.topology import Topology, TopologyBuilder
from tests.adapters.spark.state.chunk_store import MemorySpark
from tests.adapters.spark.worker.local_servers import LocalServers
from tests.adapters.spark.worker.test_stage import Ticking

NOW_MS = 1_000


@pytest.fixture
def servers(monkeypatch: pytest.MonkeyPatch) -> LocalServers:
    servers = LocalServers({task_server.HANDLER: task_server.handle})
    monkeypatch.setattr(run_server, "SERVERS", servers)
    return servers


def _broadcast(folder: Path, owner: str, define: Any) -> Broadcast:
    sink = FileEventSink(folder)
    sink.create_topic("lines", 1)
    sink.write("w", 0, 1, [SinkRecord("lines", b"a", b"x", 5), SinkRecord("lines", b"a", b"y", 6)])
    builder = TopologyBuilder()
    define(builder)
    topology: Topology = builder.build()
    ports = RunPorts(FileEventLog(folder), sink, JsonCodecs(), MemoryStateStores())
    plan = RunPlan.of(topology, ports, RunOptions(application_id="app", emit="every-update"))
    return Broadcast(SparkPlan(plan, stage_line(topology), owner, groups=1), owner)


def _counted(builder: TopologyBuilder) -> None:
    builder.stream("lines", key=str, value=str).group_by_key().count(store="counts").to_stream().to("out")


def _ticking(builder: TopologyBuilder) -> None:
    builder.stream("lines", key=str, value=str).process(Ticking).to("out")


def _batch(start: int, end: int) -> TaskBatch:
    body = f'[["lines", 0, {start}, {end}]]'.encode()
    return TaskBatch(0, 0, [Frame(Sender(0, 0, 0), Kind.RANGES, NOW_MS, body)], NOW_MS, BatchProgress(end, NOW_MS, {}))


def _values(broadcast: Broadcast, batch: TaskBatch, spark: MemorySpark) -> list[bytes | None]:
    """Process a batch; return the values of the results that it has written."""
    log = broadcast.unpickle().run.ports.log

    def written() -> list[bytes | None]:
        if "out" not in log.topics():
            return []
        return [record.value for some in log.read("out", 0, 0, log.end_offset("out", 0)) for record in some]

    before = len(written())
    kinds = {unpack_frame(row.frame).kind for row in processed(broadcast, batch, spark, 0)}
    assert kinds <= {Kind.REPORT, Kind.WRITTEN}
    return written()[before:]


def test_the_state_of_a_task_is_in_spark_and_cached_by_the_server(tmp_path: Path, servers: LocalServers) -> None:
    broadcast, spark = _broadcast(tmp_path, "app-counted", _counted), MemorySpark()
    assert _values(broadcast, _batch(0, 1), spark) == [b"1"]
    questions = servers.questions
    assert _values(broadcast, _batch(1, 2), spark) == [b"2"]
    assert servers.questions - questions == 3  # the header, a chunk and the new header: neither the plan nor an old chunk
    another = _broadcast(tmp_path / "another", "app-counted", _counted)
    assert _values(another, _batch(1, 2), spark) == [b"3"]


def test_the_time_of_the_next_punctuation_becomes_a_timer(tmp_path: Path, servers: LocalServers) -> None:
    del servers
    spark = MemorySpark()
    assert _values(_broadcast(tmp_path, "app-ticking", _ticking), _batch(0, 1), spark) == [b"x"]
    assert spark.timers == [NOW_MS + 100]


def test_a_batch_that_fails_leaves_no_task_behind(tmp_path: Path, servers: LocalServers) -> None:
    del servers
    broadcast, spark = _broadcast(tmp_path, "app-failing", _counted), MemorySpark()
    assert _values(broadcast, _batch(0, 1), spark) == [b"1"]
    with pytest.raises(OffsetOutOfRangeError, match="the flow is at offset 9, but the log has 0 to 2"):
        _values(broadcast, _batch(1, 9), spark)
    assert len(CACHES.of(broadcast).take(0, 0, NOW_MS)[0]) == 0
    assert _values(broadcast, _batch(1, 2), spark) == [b"2"]
