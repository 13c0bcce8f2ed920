"""The errors that a reader meets, with a consumer that returns them without a broker."""

from collections.abc import Sequence
from typing import Any

import pytest
from confluent_kafka import KafkaError, Message

from eddyline.adapters.kafka.clients.auth_failures import record_auth_failure
from eddyline.adapters.kafka.errors import AuthenticationError, AuthorizationError, BrokerUnavailableError
from eddyline.adapters.kafka.log import partition_reader
from eddyline.adapters.kafka.log.partition_reader import PartitionReader
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.application.ports.event_log import OffsetOutOfRangeError, UnknownTopicError

_MAX_POLLS = 1_000


class FailingConsumer:
    """A consumer whose every poll returns the same error, or nothing."""

    def __init__(self, code: int | None) -> None:
        self._code = code
        self._polls = 0

    def assign(self, partitions: object) -> None:
        """Accept any assignment."""

    def consume(self, _count: int, timeout_s: float) -> Sequence[Message]:
        self._polls += 1
        assert self._polls < _MAX_POLLS, "the reader does not end"
        if self._code is None or not timeout_s:
            return []
        return [Message(topic="t", partition=0, offset=-1, error=KafkaError(self._code))]


def _read(monkeypatch: pytest.MonkeyPatch, code: int | None, client_id: str = "reader") -> list[Any]:
    settings = KafkaSettings({"bootstrap.servers": "127.0.0.1:1", "client.id": client_id})
    if client_id == "rejected":
        record_auth_failure(settings, KafkaError(KafkaError._AUTHENTICATION, "Authentication failed"))  # noqa: SLF001
    monkeypatch.setattr(partition_reader, "new_consumer", lambda *_args, **_options: FailingConsumer(code))
    return list(PartitionReader(settings, "t", 0).read(3, 10, timeout_s=0))


def test_transient_errors_do_not_extend_the_timeout_of_a_read(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(
        BrokerUnavailableError,
        match=r"could not read topic 't', partition 0 at 127\.0\.0\.1:1: neither a record nor the end of the partition "
        "arrived within 0 s at offset 3 of the range 3 to 10; check that the brokers are running and reachable",
    ):
        _read(monkeypatch, KafkaError.LEADER_NOT_AVAILABLE)


def test_a_read_that_times_out_after_a_failed_authentication_names_that(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AuthenticationError, match=r"Authentication failed \(_AUTHENTICATION\); check .*sasl\.password"):
        _read(monkeypatch, None, client_id="rejected")


def test_a_missing_permission_ends_the_read(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AuthorizationError, match=r"could not read topic 't', partition 0 at offset 3 .*an ACL for the topic"):
        _read(monkeypatch, KafkaError.TOPIC_AUTHORIZATION_FAILED)


@pytest.mark.parametrize("code", [KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError.UNKNOWN_TOPIC_ID])
def test_a_deleted_topic_ends_the_read(monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    monkeypatch.setattr(partition_reader, "has_partition", lambda *_args: code == KafkaError.UNKNOWN_TOPIC_ID)
    with pytest.raises(UnknownTopicError, match="topic 't', partition 0 no longer exists; the topic was deleted during the read"):
        _read(monkeypatch, code)


def test_a_partition_that_a_broker_does_not_know_yet_does_not_end_the_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partition_reader, "has_partition", lambda *_args: True)
    with pytest.raises(BrokerUnavailableError, match="neither a record nor the end of the partition arrived"):
        _read(monkeypatch, KafkaError.UNKNOWN_TOPIC_OR_PART)


def test_an_offset_that_retention_deleted_ends_the_read(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OffsetOutOfRangeError, match="offset 3 no longer exists; retention deleted it during the read"):
        _read(monkeypatch, KafkaError._AUTO_OFFSET_RESET)  # noqa: SLF001 - the constant's public name
