from collections.abc import Iterator
from pathlib import Path

import pytest

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.adapters.rocksdb.state_store import RocksDBStateStores
from eddyline.adapters.services.artifacts import Artifacts
from eddyline.adapters.services.broker import Broker
from eddyline.application.ports.state_store import UndoLog
from tests.ports.environments import Environment, FileEnvironment, MemoryEnvironment
from tests.ports.kafka_environment import KafkaEnvironment
from tests.ports.stores import NewStores


@pytest.fixture(scope="package")
def clean_broker(service_artifacts: Artifacts, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """Start a broker for the tests of this folder only; each of them begins by deleting all topics and groups on it."""
    broker = Broker(service_artifacts, tmp_path_factory.mktemp("clean-broker"))
    broker.start()
    yield broker
    broker.kill()


@pytest.fixture(params=["memory", "files", "simulated", pytest.param("kafka", marks=pytest.mark.services)])
def environment(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Environment]:
    if request.param == "memory":
        yield MemoryEnvironment()
    elif request.param == "simulated":
        pytest.importorskip("pyspark", reason="the simulated cluster is one of Spark; run 'make install'")
        from tests.ports.simulated_environment import SimulatedEnvironment  # noqa: PLC0415 - it imports pyspark

        with SimulatedEnvironment() as simulated:
            yield simulated
    elif request.param == "files":
        yield FileEnvironment(tmp_path / "topics")
    else:
        broker: Broker = request.getfixturevalue("clean_broker")
        environment = KafkaEnvironment(broker.bootstrap_servers)
        yield environment
        environment.close()


@pytest.fixture(params=["memory", "rocksdb", "rocksdb-undoable"])
def new_stores(request: pytest.FixtureRequest, quick_disk: Path) -> NewStores:
    """Return a function that creates the stores of one adapter, empty at each call."""
    if request.param == "memory":
        return MemoryStateStores
    stores = RocksDBStateStores(JsonCodecs(), quick_disk, cache_max_bytes=1 << 20)
    if request.param == "rocksdb":
        return lambda: stores
    return lambda: stores.undoable(UndoLog())
