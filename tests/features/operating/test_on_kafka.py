"""Resetting and versions on a real broker of their own, since the flows' topics have the names that they have everywhere."""

from collections.abc import Iterator

import pytest
from pytest_bdd import given, scenarios, then

from eddyline.adapters.kafka.event_sink import KafkaEventSink
from eddyline.adapters.kafka.groups.admin import ConsumerGroups
from eddyline.adapters.kafka.topics import Topics
from eddyline.adapters.services.artifacts import Artifacts
from eddyline.adapters.services.broker import Broker
from tests.features.operating.conftest import Site

pytestmark = pytest.mark.services

scenarios("resetting/on_kafka.feature", "versions/on_kafka.feature")


@pytest.fixture(params=[pytest.param("spark", marks=pytest.mark.spark)], autouse=True)
def engine(request: pytest.FixtureRequest) -> str:
    """The engine that is used in earnest, alone: a broker takes its time."""
    return str(request.param)


@pytest.fixture(scope="module")
def broker(service_artifacts: Artifacts, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    broker = Broker(service_artifacts, tmp_path_factory.mktemp("operators-broker"))
    broker.start()
    yield broker
    broker.kill()


@given("topics on Kafka")
def on_kafka(site: Site, broker: Broker) -> None:
    site.servers = broker.bootstrap_servers


@then("Kafka has neither a group nor a topic of the word count's own")
def nothing_own(site: Site) -> None:
    KafkaEventSink(site.kafka).close()
    names = [group.name for group in ConsumerGroups(site.kafka).list()] + list(Topics(site.kafka).names())
    assert not [name for name in names if name == "word-count" or name.startswith("word-count-")]


@then("Kafka has a group for each of the two versions")
def two_groups(site: Site) -> None:
    assert {"stock-stats", "stock-stats-v2"} <= {group.name for group in ConsumerGroups(site.kafka).list()}
