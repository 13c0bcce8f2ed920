"""The scenarios about the command's tools for Kafka: each runs once, on a real broker."""

from pathlib import Path

import pytest

from eddyline.adapters.services.broker import Broker
from tests.features.tools.kafka_tools import KafkaTools
from tests.fixtures.commands import Commands, Eddyline


@pytest.fixture
def engine() -> str:
    """In place of the engines that other scenarios come once for each of."""
    return "none"


@pytest.fixture
def tools(eddyline: Eddyline, commands: Commands, kafka_broker: Broker, tmp_path: Path) -> KafkaTools:
    """The command against the broker, with a topic and a group of the scenario's own."""
    return KafkaTools(eddyline, commands, kafka_broker.bootstrap_servers, tmp_path)
