"""The local engine on Kafka: exactly once although processes are killed, standby, shared partitions, outages."""

import random
import signal
import time
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest

from eddyline.adapters.kafka.groups.admin import ConsumerGroups
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import Topics
from eddyline.adapters.services.broker import Broker
from tests.adapters.local.kafka_runs import PARTITIONS, KafkaRuns
from tests.fixtures.commands import Commands

TAKEOVER_S = 3.0
OUTAGE_S = 5.0


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


@pytest.mark.parametrize("flow", ["counted", "regrouped"])
def test_every_record_counts_once_although_processes_are_killed_at_any_moment(
    settings: KafkaSettings, commands: Commands, tmp_path: Path, name: str, flow: str
) -> None:
    chance, runs = random.Random(flow), runs_of(settings, commands, tmp_path, name, flow)
    runs.start("0")
    runs.send(1)
    runs.wait_for_results()
    for kill in range(2):
        runs.start(str(kill + 1))
        for _ in range(chance.randrange(20, 60)):
            runs.send(1)
            time.sleep(0.02)
        commands.kill(str(kill))
        runs.send(1)
    runs.wait_for_results()
    assert runs.is_exact()


def test_a_process_that_stands_by_takes_over_within_three_seconds(
    settings: KafkaSettings, commands: Commands, tmp_path: Path, name: str
) -> None:
    runs = runs_of(settings, commands, tmp_path, name, "regrouped")
    runs.start("active")
    runs.send(5)
    runs.wait_for_results()
    runs.start("standby")
    runs.wait_until(lambda: any("stands by" in line for line in commands.err("standby")))
    runs.send(5)
    runs.wait_for_results()
    commands.kill("active")
    runs.send(1)
    assert runs.wait_for_results() < TAKEOVER_S
    assert runs.is_exact()
    assert commands.stop("standby", 20) == 0


def test_a_process_that_was_paused_commits_nothing_after_another_has_taken_over(
    settings: KafkaSettings, commands: Commands, tmp_path: Path, name: str
) -> None:
    runs = runs_of(settings, commands, tmp_path, name, "regrouped")
    runs.start("paused")
    runs.send(2)
    runs.wait_for_results()
    runs.start("other")
    runs.wait_until(lambda: any("stands by" in line for line in commands.err("other")))
    runs.send(2)
    commands.signal("paused", signal.SIGSTOP)
    runs.send(2)
    runs.wait_for_results()
    commands.signal("paused", signal.SIGCONT)
    runs.wait_until(lambda: any("stands by" in line for line in commands.err("paused")))
    runs.send(2)
    runs.wait_for_results()
    assert runs.is_exact()
    assert [commands.stop(process, 20) for process in ("paused", "other")] == [0, 0]


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
    assert commands.stop("first", 20) == 0
    runs.send(5)
    assert runs.wait_for_results() < TAKEOVER_S
    assert runs.is_exact()


def test_nothing_is_lost_while_the_broker_is_stopped(
    own_broker: Callable[..., Broker], commands: Commands, tmp_path: Path, name: str
) -> None:
    broker = own_broker()
    broker.start()
    runs = runs_of(KafkaSettings({"bootstrap.servers": broker.bootstrap_servers}), commands, tmp_path, name, "regrouped")
    runs.start("run")
    runs.send(3)
    runs.wait_for_results()
    broker.stop()
    time.sleep(OUTAGE_S)
    broker.start()
    runs.send(3)
    runs.wait_for_results(60)
    assert runs.is_exact()
    assert any("waiting" in line or "not reachable" in line for line in commands.err("run"))
    assert commands.stop("run", 20) == 0


def test_at_least_once_loses_nothing_and_repeats_only_what_was_not_committed(
    settings: KafkaSettings, commands: Commands, tmp_path: Path, name: str
) -> None:
    guarantee = ("--set", "processing.guarantee=at_least_once", "--set", "commit.interval.ms=50")
    runs = runs_of(settings, commands, tmp_path, name, "counted", *guarantee)
    runs.start("first")
    runs.send(5)
    runs.wait_for_results()
    runs.send(5)
    commands.kill("first")
    runs.start("second")
    runs.send(1)
    runs.wait_for_results()
    assert all(max(found) >= runs.sent[key] for key, found in runs.counts().items())
