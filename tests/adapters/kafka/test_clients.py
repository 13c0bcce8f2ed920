import pytest
from confluent_kafka import KafkaError, KafkaException, TopicPartition

from eddyline.adapters.kafka.clients.auth_failures import record_auth_failure
from eddyline.adapters.kafka.clients.broker_errors import as_broker_error, broker_errors, raise_partition_errors
from eddyline.adapters.kafka.clients.factory import new_consumer, new_producer
from eddyline.adapters.kafka.errors import (
    AuthenticationError,
    AuthorizationError,
    BrokerError,
    BrokerUnavailableError,
    KafkaSettingsError,
)
from eddyline.adapters.kafka.groups.admin import ConsumerGroups
from eddyline.adapters.kafka.settings import KafkaSettings
from tests.adapters.kafka.conftest import failed_partition


def _settings(**more: str) -> KafkaSettings:
    named = {name.replace("_", "."): value for name, value in more.items()}
    return KafkaSettings({"bootstrap.servers": "127.0.0.1:1", "socket.timeout.ms": "300", **named})


def _error(code: int, reason: str | None = None) -> KafkaException:
    return KafkaException(KafkaError(code, reason))


def test_a_broker_that_leaves_the_cluster_during_a_request_is_an_outage() -> None:
    error = as_broker_error(_settings(), "write", _error(KafkaError._DESTROY_BROKER))  # noqa: SLF001 - the constant's public name
    assert isinstance(error, BrokerUnavailableError)


def test_an_invalid_value_is_an_error_without_the_secret() -> None:
    with pytest.raises(KafkaSettingsError, match="the settings of the Kafka client are invalid: ") as raised:
        new_producer(_settings(security_protocol="open-sesame", sasl_password="open-sesame"))  # noqa: S106 - made up
    assert "open-sesame" not in str(raised.value)
    assert raised.value.__cause__ is None


def test_an_outage_is_an_error_with_the_addresses_of_the_brokers_and_a_fix() -> None:
    settings = _settings()
    consumer = new_consumer(settings, "g")
    with (
        pytest.raises(
            BrokerUnavailableError,
            match=r"could not list anything at 127\.0\.0\.1:1: .*; check that the brokers are running and reachable",
        ),
        broker_errors(settings, "list anything"),
    ):
        consumer.list_topics(timeout=0.3)
    consumer.close()


def test_an_outage_while_groups_are_listed_is_such_an_error_too() -> None:
    with pytest.raises(BrokerUnavailableError, match=r"could not list the groups at 127\.0\.0\.1:1: "):
        ConsumerGroups(KafkaSettings({"bootstrap.servers": "127.0.0.1:1", "socket.timeout.ms": 1_000})).list()


def test_a_timeout_after_a_failed_authentication_names_the_failure_and_the_settings_to_check() -> None:
    settings = _settings(client_id="rejected", sasl_password="open-sesame")  # noqa: S106 - made up
    record_auth_failure(settings, KafkaError(KafkaError._AUTHENTICATION, "password open-sesame is wrong"))  # noqa: SLF001
    error = as_broker_error(settings, "write", _error(KafkaError._TIMED_OUT))  # noqa: SLF001 - the constant's public name
    assert isinstance(error, AuthenticationError)
    assert str(error) == (
        "could not write at 127.0.0.1:1: password *** is wrong (_AUTHENTICATION); "
        "check security.protocol, sasl.mechanism, sasl.username and sasl.password"
    )


@pytest.mark.parametrize(
    ("code", "kind", "resource"),
    [
        (KafkaError.TOPIC_AUTHORIZATION_FAILED, "TOPIC_AUTHORIZATION_FAILED", "the topic"),
        (KafkaError.GROUP_AUTHORIZATION_FAILED, "GROUP_AUTHORIZATION_FAILED", "the consumer group"),
        (
            KafkaError.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
            "TRANSACTIONAL_ID_AUTHORIZATION_FAILED",
            "the transactional id",
        ),
        (KafkaError.CLUSTER_AUTHORIZATION_FAILED, "CLUSTER_AUTHORIZATION_FAILED", "the cluster"),
    ],
)
def test_a_missing_permission_names_the_resource_that_needs_an_acl(code: int, kind: str, resource: str) -> None:
    error = as_broker_error(_settings(), "write", _error(code))
    assert isinstance(error, AuthorizationError)
    assert str(error).endswith(f"({kind}); grant the client's principal an ACL for {resource}")


def test_any_other_error_is_passed_on_with_its_reason_and_no_advice() -> None:
    error = as_broker_error(_settings(), "write", _error(KafkaError.TOPIC_EXCEPTION, "bad name"))
    assert type(error) is BrokerError
    assert str(error) == "could not write at 127.0.0.1:1: bad name (TOPIC_EXCEPTION)"


def test_the_error_of_a_single_partition_is_raised_with_its_name() -> None:
    raise_partition_errors([TopicPartition("fine", 0)])
    with pytest.raises(KafkaException, match="topic 't', partition 1: Broker: Topic authorization failed"):
        raise_partition_errors([TopicPartition("fine", 0), failed_partition("t", KafkaError.TOPIC_AUTHORIZATION_FAILED)])
