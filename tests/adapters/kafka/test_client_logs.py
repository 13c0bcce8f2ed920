import logging
import re
import threading

import pytest

from eddyline.adapters.kafka.clients.factory import new_producer
from eddyline.adapters.kafka.clients.logs import CLIENT_LOGGER, LOGGER, RedactingLogger, RepetitionFilter
from eddyline.adapters.kafka.settings import KafkaSettings
from tests.adapters.kafka.conftest import eventually


def _record(text: str) -> logging.LogRecord:
    return logging.LogRecord("x", logging.WARNING, "", 0, "%s", (text,), None)


def test_a_message_that_differs_only_in_numbers_is_logged_once_per_interval() -> None:
    clock = iter([0.0, 1.0, 2.0, 29.0, 31.0])
    repetition = RepetitionFilter(30.0, clock=lambda: next(clock))
    messages = [
        "broker 1 away after 3 ms",
        "broker 1 away after 0 ms",
        "no such topic",
        "broker 2 away after 5 ms",
        "broker 1 away after 7 ms",
    ]
    assert [repetition.filter(_record(message)) for message in messages] == [True, False, True, False, True]


def test_threads_of_several_clients_may_log_at_the_same_time() -> None:
    """The main thread is paused while it looks for repetitions, until another thread has logged a message."""
    formatting, comparing, logged = threading.Event(), threading.Event(), threading.Event()

    class Moment(float):
        def __sub__(self, other: float) -> float:
            if threading.current_thread() is threading.main_thread():
                comparing.set()
                logged.wait(120)
            return float(self) - float(other)

    class Text:
        def __str__(self) -> str:
            formatting.set()
            comparing.wait(120)
            return "from another thread"

    def log_in_between() -> None:
        repetition.filter(logging.LogRecord("x", logging.WARNING, "", 0, "%s", (Text(),), None))
        logged.set()

    repetition = RepetitionFilter(clock=lambda: Moment(1.0))
    assert repetition.filter(_record("first"))
    other = threading.Thread(target=log_in_between)
    other.start()
    assert formatting.wait(120)
    assert repetition.filter(_record("second"))
    other.join()


def test_similar_messages_of_the_adapter_are_logged_for_every_partition(caplog: pytest.LogCaptureFixture) -> None:
    for partition in range(3):
        LOGGER.warning("topic 't', partition %d: blocked", partition)
    assert [record.getMessage().partition(":")[0] for record in caplog.records] == [
        "topic 't', partition 0",
        "topic 't', partition 1",
        "topic 't', partition 2",
    ]


def test_repeated_messages_of_the_client_are_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    for port in range(3):
        CLIENT_LOGGER.warning("connection to 127.0.0.1:%d refused in this test", port)
    assert len(caplog.records) == 1


def test_the_log_of_a_client_contains_no_secret(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "eddyline.kafka")
    producer = new_producer(
        KafkaSettings(
            {
                "bootstrap.servers": "127.0.0.1:1",
                "debug": "all",
                "client.id": "open-sesame",
                "security.protocol": "SASL_PLAINTEXT",
                "sasl.mechanism": "PLAIN",
                "sasl.username": "u",
                "sasl.password": "open-sesame",
            }
        )
    )
    producer.poll(0.5)
    assert "client.id = ***" in caplog.text
    assert "open-sesame" not in caplog.text


def test_a_client_logs_an_outage_once_and_without_the_names_of_its_threads(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CLIENT_LOGGER, "filters", [RepetitionFilter()])
    producer = new_producer(KafkaSettings({"bootstrap.servers": "127.0.0.1:1", "client.id": "outage"}))

    def logged() -> list[str]:
        """Return the messages about this broker: clients of earlier tests may still look for theirs."""
        messages = (re.sub(r"\d+ms", "N ms", record.getMessage()) for record in caplog.records)
        return [message for message in messages if message.startswith("127.0.0.1:1/")]

    eventually(lambda: producer.poll(0.1) > 0 or bool(logged()))
    producer.poll(0.5)
    assert logged() == [
        "127.0.0.1:1/bootstrap: Connect to ipv4#127.0.0.1:1 failed: Connection refused (after N ms in state CONNECT)"
    ]


def test_a_broker_that_has_just_started_is_no_warning(caplog: pytest.LogCaptureFixture) -> None:
    logger = RedactingLogger(KafkaSettings({"bootstrap.servers": "localhost:1"}))
    with caplog.at_level(logging.INFO, CLIENT_LOGGER.name):
        logger.log(logging.WARNING, "GETPID [thrd:main]: Failed to acquire PID: Broker: Coordinator load in progress: retrying")
        logger.log(
            logging.WARNING,
            "GETPID [thrd:main]: Failed to acquire transactional PID from broker 1: Broker: Not coordinator: retrying",
        )
        logger.log(logging.WARNING, "FAIL [thrd:main]: the broker does not accept a producer: retrying")
    assert [record.levelname for record in caplog.records] == ["INFO", "INFO", "WARNING"]


@pytest.mark.parametrize("logger", [LOGGER, CLIENT_LOGGER])
def test_what_brokers_send_is_logged_on_one_line_without_control_characters(
    logger: logging.Logger, caplog: pytest.LogCaptureFixture
) -> None:
    logger.warning("%s: rejected by \x1b[2J\u202ebroker\n%s", logger.name, "next")
    assert [record.getMessage() for record in caplog.records] == [f"{logger.name}: rejected by \\x1b[2J\\u202ebroker\\nnext"]
