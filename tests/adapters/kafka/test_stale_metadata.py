"""A client whose metadata are older than a partition."""

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException

from eddyline.adapters.kafka.errors import BrokerUnavailableError
from eddyline.adapters.kafka.event_log import KafkaEventLog


class Behind:
    """A consumer that does not know a partition for some calls, although the brokers have it."""

    def __init__(self, calls: int) -> None:
        self.left = calls

    def list_topics(self, topic: str, timeout: float) -> Any:
        del timeout
        return SimpleNamespace(topics={topic: SimpleNamespace(error=None, partitions={0: SimpleNamespace(leader=1)})})

    def get_watermark_offsets(self, _partition: object, timeout: float) -> tuple[int, int]:
        del timeout
        if self.left:
            self.left -= 1
            raise KafkaException(KafkaError(KafkaError._UNKNOWN_PARTITION))  # noqa: SLF001 - that is the constant's public name
        return 0, 5


def log_with(consumer: Behind, monkeypatch: pytest.MonkeyPatch) -> KafkaEventLog:
    @contextmanager
    def borrowed(_log: KafkaEventLog) -> Iterator[Behind]:
        yield consumer

    monkeypatch.setattr(KafkaEventLog, "_metadata_consumer", borrowed)
    return KafkaEventLog({"bootstrap.servers": "127.0.0.1:1", "socket.timeout.ms": 1_000})


def test_a_partition_that_the_client_learns_of_later_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    assert log_with(Behind(1), monkeypatch).bounds("orders", 0) == (0, 5)


def test_a_partition_that_the_client_never_learns_of_is_an_outage(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(
        BrokerUnavailableError, match=r"topic 'orders', partition 0 .* the client has not learned of the partition"
    ):
        log_with(Behind(1_000), monkeypatch).bounds("orders", 0)
