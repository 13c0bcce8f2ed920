"""The local engine emits the same records as Kafka Streams, in order, and its changelogs have the same stores.

Each case is interrupted after half of its inputs, and continues from what the first process has left. The stores of global tables
have no changelogs: their topics are read again.
"""

from collections.abc import Sequence
from pathlib import Path

import pytest

from eddyline.adapters.cli.replay.case import read_case
from eddyline.adapters.cli.replay.on_spark import replay_on_spark
from eddyline.adapters.container import Container
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.application.runtime.plan.changelogs import ChangelogEntry, changelog_topic, decode
from eddyline.application.runtime.plan.options import RunOptions, RunPorts
from eddyline.application.runtime.progress.store_changes import ChangedEntry, StoreChanges
from eddyline.application.topology import Topology
from tests.conformance.queries import Group, groups, topology_of
from tests.conformance.recorded import (
    DEVIATIONS,
    case_paths,
    name_of,
    path_name,
    plumbing_marks,
    recorded,
    recorded_stores,
    without_inputs,
)
from tests.fixtures.local_runs import local_engine, ports_of

UNINTERRUPTED = {"product-counter/wall-clock": "wall-clock schedules begin with the process, as in Kafka Streams"}


class Interrupted:
    """A run that is interrupted after half of the inputs; made with the arguments of a Spark engine."""

    interrupted = True

    def __init__(
        self, topology: Topology, ports: RunPorts, options: RunOptions, checkpoint_dir: Path, store_changes: StoreChanges
    ) -> None:
        del checkpoint_dir
        self._topology, self._ports, self._options, self._changes = topology, ports, options, store_changes

    def run_available_now(self) -> None:
        log = self._ports.log
        assert isinstance(log, MemoryEventLog)
        inputs = max(log.end_offset(topic, number) for topic in log.topics() for number in range(log.partitions(topic)))
        for until in (inputs // 2, None) if self.interrupted else (None,):
            ports = ports_of(log, self._ports.sink, self._ports.codecs, self._ports.stores, until=until)
            local_engine(self._topology, ports, self._options).run_available_now()
        self._changes.apply(0, [change for name in self._topology.stores for change in self._entries(log, name)])

    def _entries(self, log: MemoryEventLog, store: str) -> Sequence[ChangedEntry]:
        topic = changelog_topic("replay", store)
        if topic not in log.topics():
            return ()
        return [
            ChangedEntry(store, number, found.key, found.value)
            for number in range(log.partitions(topic))
            for batch in log.read(topic, number, 0, log.end_offset(topic, number))
            for record in batch
            if isinstance(found := decode(record.key, record.value, record.timestamp), ChangelogEntry)
        ]


class Uninterrupted(Interrupted):
    """A run that is not interrupted."""

    interrupted = False


@pytest.mark.extensive
@pytest.mark.parametrize(
    "paths", [pytest.param(own, id=path_name(own[0]), marks=plumbing_marks(own)) for own in groups(case_paths())]
)
def test_interrupted_cases_have_the_output_and_stores_of_kafka_streams(paths: Group) -> None:
    cases, topology = [read_case(path) for path in paths], topology_of(paths)
    engine = Uninterrupted if UNINTERRUPTED.keys() & map(name_of, cases) else Interrupted
    own = {name for sub in topology.sub_topologies for name in sub.stores}
    for path, case, actual in zip(paths, cases, replay_on_spark(cases, topology, Container(), engine), strict=True):
        expected = recorded(path)
        expected = expected._replace(stores={name: rows for name, rows in expected.stores.items() if name in own})
        found = {"output": actual["output"], "stores": recorded_stores(actual["stores"], expected)}
        assert (found == without_inputs(expected)) is (name_of(case) not in DEVIATIONS), name_of(case)
