import logging

import pytest

from eddyline.adapters.kafka.clients import Kept, broker_errors, new_consumer, new_producer
from eddyline.adapters.kafka.errors import BrokerUnavailableError, KafkaSettingsError
from eddyline.adapters.kafka.groups import Groups
from eddyline.adapters.kafka.settings import KafkaSettings


def _settings(**more: str) -> KafkaSettings:
    named = {name.replace("_", "."): value for name, value in more.items()}
    return KafkaSettings({"bootstrap.servers": "127.0.0.1:1", "socket.timeout.ms": "300", **named})


def test_a_value_that_the_client_refuses_is_an_error_without_the_secret() -> None:
    with pytest.raises(KafkaSettingsError, match="refused its settings") as raised:
        new_producer(_settings(security_protocol="open-sesame", sasl_password="open-sesame"))  # noqa: S106 - made up
    assert "open-sesame" not in str(raised.value)
    assert raised.value.__cause__ is None


def test_the_clients_own_log_shows_no_secret(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "eddyline.kafka")
    secret = {
        "sasl_mechanism": "PLAIN",
        "security_protocol": "SASL_PLAINTEXT",
        "sasl_username": "u",
        "sasl_password": "open-sesame",
    }
    producer = new_producer(_settings(debug="all", client_id="open-sesame", **secret))
    producer.poll(0.5)
    assert "client.id = ***" in caplog.text
    assert "open-sesame" not in caplog.text


def test_brokers_that_do_not_answer_are_named_with_the_cure() -> None:
    settings = _settings()
    consumer = new_consumer(settings, "g")
    with (
        pytest.raises(BrokerUnavailableError, match=r"could not look around at 127\.0\.0\.1:1: .*are the brokers up"),
        broker_errors(settings, "look around"),
    ):
        consumer.list_topics(timeout=0.3)
    consumer.close()


def test_groups_of_brokers_that_do_not_answer_are_an_error_like_every_other() -> None:
    with pytest.raises(BrokerUnavailableError, match=r"could not list the groups at 127\.0\.0\.1:1: "):
        Groups(KafkaSettings({"bootstrap.servers": "127.0.0.1:1", "socket.timeout.ms": 1_000})).list()


def test_what_is_kept_is_taken_once_and_the_oldest_goes_when_there_are_too_many() -> None:
    closed: list[str] = []
    kept: Kept[str] = Kept(limit=2, close=closed.append)
    for number in range(3):
        kept.keep(number, f"client {number}")
    assert closed == ["client 0"]
    assert kept.take(1) == "client 1"
    assert kept.take(1) is None
    kept.keep(2, "client 2 again")
    kept.close_all()
    assert closed == ["client 0", "client 2", "client 2 again"]
