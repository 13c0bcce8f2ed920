"""Stores of the local engine on the local disk."""

from pathlib import Path

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.event_sink import MemoryEventSink
from eddyline.adapters.rocksdb.state_store import RocksDBStateStores
from eddyline.application.runtime.plan.options import RunPorts
from eddyline.application.samples.text.word_count import word_count
from tests.adapters.local.running import engine_of
from tests.adapters.memory.running import built, fill, values

CHANGELOG = "app-word-count-store-changelog"


class CountingLog(MemoryEventLog):
    """A log that notes what is read of the changelog."""

    def __init__(self) -> None:
        super().__init__()
        self.read_from: list[int] = []

    def read(self, topic, partition, start, end):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN201
        if topic == CHANGELOG:
            self.read_from.append(start)
        return super().read(topic, partition, start, end)


def run(log: MemoryEventLog, folder: Path) -> None:
    ports = RunPorts(log, MemoryEventSink(log), JsonCodecs(), RocksDBStateStores(JsonCodecs(), folder))
    engine_of(built(word_count), log, ports=ports).run_available_now()


def test_a_clean_restart_reads_no_changelog_again(tmp_path: Path) -> None:
    log = CountingLog()
    fill(log, "text-lines", (b"x y", 1, 0))
    run(log, tmp_path)
    log.append("text-lines", b"k", b"x", 2)
    log.read_from.clear()
    run(log, tmp_path)
    assert (values(log, "word-counts"), log.read_from) == ([b"1", b"1", b"2"], [])


def test_stores_of_other_changelogs_are_built_again(tmp_path: Path) -> None:
    log = CountingLog()
    fill(log, "text-lines", (b"x y", 1, 0))
    run(log, tmp_path)
    other = CountingLog()
    fill(other, "text-lines", (b"x", 1, 0))
    run(other, tmp_path)
    assert values(other, "word-counts") == [b"1"]
