"""The ids of topics are found although a client goes on waiting for a controller that has died."""

from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException, TopicCollection

from eddyline.adapters.kafka.errors import BrokerUnavailableError
from eddyline.adapters.kafka.log import admins
from eddyline.adapters.kafka.settings import KafkaSettings


class Admin:
    """A client that either answers or has a dead controller."""

    def __init__(self, topic_id: str | None) -> None:
        self._topic_id = topic_id

    def describe_topics(self, topics: TopicCollection, **_timeout: float) -> dict[str, "Future[Any]"]:
        future: Future[Any] = Future()
        if self._topic_id is None:
            future.set_exception(KafkaException(KafkaError(KafkaError._TIMED_OUT)))  # noqa: SLF001 - the client's name
        else:
            future.set_result(SimpleNamespace(topic_id=self._topic_id))
        return dict.fromkeys(topics.topic_names, future)

    def poll(self, _timeout_s: float) -> int:
        return 0

    def __len__(self) -> int:
        """Return how much is in its queue: an idle client is false."""
        return 0


def test_a_new_client_asks_after_a_timeout_and_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    clients = [Admin("one"), Admin(None)]
    monkeypatch.setattr(admins, "new_admin", lambda _settings: clients.pop())
    settings = KafkaSettings({"bootstrap.servers": "identity:1"})
    assert [admins.topic_ids(settings, ["t"]) for _ in range(2)] == [{"t": "one"}] * 2
    admins.close_admins(settings)


def test_brokers_that_never_answer_are_unavailable_after_the_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admins, "new_admin", lambda _settings: Admin(None))
    settings = KafkaSettings({"bootstrap.servers": "identity:2", "socket.timeout.ms": "500"})
    with pytest.raises(BrokerUnavailableError, match="could not look up the id of topic 't' at identity:2"):
        admins.topic_ids(settings, ["t"])
