"""The NEXMark queries on the local engine, all in one topology and interrupted, end with the rows of Flink SQL."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from nexmark.flows import QUERIES

from eddyline.adapters.files.event_log import FileEventLog
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.event_sink import MemoryEventSink
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.application.runtime.plan.options import LogClock, RunOptions
from tests.examples.nexmark.rows import DATA_SETS, Bag, answers, written_rows
from tests.examples.nexmark.topics import CLOCK, topology_of, write_log
from tests.fixtures.local_runs import local_engine, ports_of

DATA_SET = "public-2"


def rows_on_local(folder: Path, queries: tuple[str, ...], *, clock: bool = False) -> Mapping[str, Bag]:
    """Return the final rows of queries that run together, first over half of the input."""
    topology, codecs, written = topology_of(*queries), JsonCodecs(), MemoryEventLog()
    write_log(folder, DATA_SETS[DATA_SET])
    log, files = MemoryEventLog(), FileEventLog(folder)
    for topic in files.topics():
        log.create_topic(topic, 1)
        for batch in files.read(topic, 0, 0, files.end_offset(topic, 0)):
            for record in batch:
                log.append(topic, record.key, record.value, record.timestamp, record.headers, arrival=record.arrival)
    options = RunOptions(
        application_id="nexmark",
        emit="latest",
        max_batch_records=2_000,
        new_topic_partitions=1,
        order="arrival" if clock else "timestamp",
        clock=LogClock(CLOCK) if clock else None,
    )
    for until in (log.end_offset(CLOCK, 0), None):
        ports = ports_of(log, MemoryEventSink(written), codecs, MemoryStateStores(), until=until)
        local_engine(topology, ports, options).run_available_now()
    return written_rows(written, topology, codecs)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Bag]:
    return rows_on_local(tmp_path_factory.mktemp("together"), tuple(query for query in QUERIES if query != "q12"))


@pytest.mark.extensive
@pytest.mark.parametrize("query", [query for query in QUERIES if query != "q12"])
def test_the_final_rows_are_those_of_flink_sql(query: str, found: Mapping[str, Bag]) -> None:
    assert found[query] == answers(DATA_SET)[query].rows


def test_windows_of_the_wall_clock_have_the_rows_of_flink_sql(tmp_path: Path) -> None:
    assert rows_on_local(tmp_path, ("q12",), clock=True)["q12"] == answers(DATA_SET)["q12"].rows
