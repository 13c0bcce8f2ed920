"""The fixtures and steps that the features about operating share."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from pytest_bdd import given, parsers

from eddyline.adapters.services.artifacts import Artifacts
from eddyline.adapters.services.broker import Broker
from tests.features.operating.environment import Environment
from tests.features.operating.kafka_commands import KafkaCommands
from tests.fixtures.commands import Commands, Eddyline


@pytest.fixture
def environment(
    engine: str, tmp_path: Path, capfd: pytest.CaptureFixture[str], request: pytest.FixtureRequest
) -> Iterator[Environment]:
    environment = Environment(tmp_path, capfd, request.getfixturevalue("spark") if engine == "spark" else None, engine)
    yield environment
    environment.stop()


@pytest.fixture(scope="package")
def operators_broker(
    service_artifacts: Artifacts, broker_java: Sequence[str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Broker]:
    """Start a broker that no other tests use, since the topics of flows have the same names everywhere."""
    broker = Broker(service_artifacts, tmp_path_factory.mktemp("operators-broker"), java_options=broker_java)
    broker.start()
    yield broker
    broker.kill()


@given("topics are on Kafka")
def topics_on_kafka(environment: Environment, operators_broker: Broker) -> None:
    environment.bootstrap_servers = operators_broker.bootstrap_servers


@pytest.fixture
def kafka(eddyline: Eddyline, commands: Commands, kafka_broker: Broker, tmp_path: Path) -> KafkaCommands:
    """Return the commands for Kafka, with a topic and a consumer group that no other scenario uses."""
    return KafkaCommands(eddyline, commands, kafka_broker.bootstrap_servers, tmp_path)


@given(parsers.re(r"a topic with (?P<partitions>\d+) partitions?"), converters={"partitions": int})
def topic_with_partitions(kafka: KafkaCommands, partitions: int) -> None:
    kafka.create_topic(partitions)
