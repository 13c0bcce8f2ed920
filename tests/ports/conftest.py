from collections.abc import Iterator
from pathlib import Path

import pytest

from eddyline.adapters.services.artifacts import Artifacts
from eddyline.adapters.services.broker import Broker
from tests.ports.kafka_environment import KafkaEnvironment
from tests.ports.places import FilesPlace, MemoryPlace, Place


@pytest.fixture(scope="session")
def swept_broker(service_artifacts: Artifacts, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """A broker besides the one that other tests share: each test here begins with an empty one."""
    broker = Broker(service_artifacts, tmp_path_factory.mktemp("swept-broker"))
    broker.start()
    yield broker
    broker.kill()


@pytest.fixture(params=["memory", "files", pytest.param("kafka", marks=pytest.mark.services)])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    if request.param == "memory":
        yield MemoryPlace()
    elif request.param == "files":
        yield FilesPlace(tmp_path / "topics")
    else:
        broker: Broker = request.getfixturevalue("swept_broker")
        place = KafkaEnvironment(broker.bootstrap_servers)
        yield place
        place.close()
