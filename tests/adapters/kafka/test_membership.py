"""A process that has lost its tasks, since it or its broker was silent."""

import time
from collections.abc import Callable

import pytest

from eddyline.adapters.kafka.groups.admin import ConsumerGroups
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.streams.membership import SHORT_SESSION_MS, KafkaMembership
from eddyline.adapters.kafka.topics import Topics
from eddyline.adapters.services.broker import Broker
from eddyline.application.ports.task_streams import CommitLostError
from tests.adapters.kafka.conftest import eventually

SILENCE_S = SHORT_SESSION_MS / 1_000 + 1.0
"""Longer than a session, whose end nothing shows while the broker is down."""
SHORT_SESSIONS = {"group.min.session.timeout.ms": "1000"}


def joined(settings: KafkaSettings, name: str) -> KafkaMembership:
    """Return a member that holds the only task."""
    found = KafkaMembership(settings, name, name, lambda _numbers: None)
    eventually(lambda: found.held() == {0})
    return found


def test_a_member_that_was_silent_has_lost_its_tasks_and_another_takes_over(settings: KafkaSettings, name: str) -> None:
    Topics(settings).create(name, 1)
    hasty = KafkaSettings({**settings.consumer(), "max.poll.interval.ms": str(SHORT_SESSION_MS)})
    silent = joined(hasty, name)
    eventually(lambda: ConsumerGroups(settings).describe(name).state == "EMPTY")
    with pytest.raises(CommitLostError, match=f"has lost its tasks, since group '{name}' did not hear from it"):
        eventually(lambda: silent.held() is None)
    with pytest.raises(CommitLostError):
        silent.metadata()
    silent.close()
    joined(settings, name).close()


@pytest.mark.slow
def test_a_member_can_be_closed_although_its_broker_has_stopped(own_broker: Callable[..., Broker], name: str) -> None:
    """Its tasks are lost while it is being closed."""
    broker = own_broker(settings=SHORT_SESSIONS)
    broker.start()
    settings = KafkaSettings({"bootstrap.servers": broker.bootstrap_servers})
    Topics(settings).create(name, 1)
    member = joined(settings, name)
    broker.stop()
    time.sleep(SILENCE_S)
    member.close()
