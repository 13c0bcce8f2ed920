"""The local engine on Kafka: exactly once although processes are killed, standby, shared partitions; see also long_runs.py."""

import random
import uuid
from pathlib import Path

import pytest

from eddyline.adapters.kafka.groups.admin import ConsumerGroups
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import Topics
from eddyline.adapters.services.broker import Broker
from tests.adapters.local.kafka_runs import PARTITIONS, KafkaRuns
from tests.fixtures.commands import Commands

TAKEOVER_S = 40.0
"""On a machine that may be busy; long_runs.py expects three seconds. Brokers would wait 45 seconds by default."""


@pytest.fixture
def name() -> str:
    return f"local-{uuid.uuid4().hex[:8]}"


@pytest.fixture
def settings(kafka_broker: Broker) -> KafkaSettings:
    return KafkaSettings({"bootstrap.servers": kafka_broker.bootstrap_servers})


def runs_of(settings: KafkaSettings, commands: Commands, folder: Path, name: str, flow: str, *options: str) -> KafkaRuns:
    topics = Topics(settings)
    for topic in (f"{name}-in", f"{name}-out"):
        topics.create(topic, PARTITIONS)
    return KafkaRuns(settings, commands, folder, name, flow, options)


@pytest.mark.parametrize("kills", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_every_record_counts_once_although_processes_are_killed_at_any_moment(
    settings: KafkaSettings, commands: Commands, tmp_path: Path, name: str, kills: int
) -> None:
    chance, runs = random.Random(1), runs_of(settings, commands, tmp_path, name, "counted")
    runs.replace_processes(kills, lambda: chance.randrange(20, 60))
    runs.wait_for_results()
    assert runs.is_exact()


@pytest.mark.slow
def test_a_process_that_stands_by_takes_over_soon(settings: KafkaSettings, commands: Commands, tmp_path: Path, name: str) -> None:
    runs = runs_of(settings, commands, tmp_path, name, "regrouped")
    assert runs.takeover_s("active", "standby") < TAKEOVER_S
    assert runs.is_exact()
    assert commands.stop("standby", 120) == 0


def test_processes_share_the_partitions_and_hand_them_over(
    settings: KafkaSettings, commands: Commands, tmp_path: Path, name: str
) -> None:
    runs = runs_of(settings, commands, tmp_path, name, "counted")
    runs.start("first")
    runs.send(1)
    runs.wait_for_results()
    runs.start("second")
    members = ConsumerGroups(settings)

    def is_shared() -> bool:
        runs.send(1)
        return sorted(len(found) for found in (members.assignments(name) or {}).values()) == [2, 2]

    runs.wait_until(is_shared)
    runs.wait_for_results()
    runs.send(5)
    assert commands.stop("first", 120) == 0
    runs.send(5)
    assert runs.wait_for_results() < TAKEOVER_S
    assert runs.is_exact()
