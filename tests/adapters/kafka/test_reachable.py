"""Brokers that cannot be connected to are found within seconds."""

import socket
from collections.abc import Iterator

import pytest

from eddyline.adapters.kafka.clients.reachable import check_reachable
from eddyline.adapters.kafka.errors import BrokerUnavailableError
from eddyline.adapters.kafka.settings import KafkaSettings


def settings(addresses: str) -> KafkaSettings:
    return KafkaSettings({"bootstrap.servers": addresses})


@pytest.fixture
def port() -> Iterator[int]:
    """Return a port on which something listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.mark.parametrize("addresses", ["127.0.0.1:{port}", "PLAINTEXT://127.0.0.1:{port}", "127.0.0.1:1, 127.0.0.1:{port}"])
def test_one_address_that_accepts_connections_is_enough(port: int, addresses: str) -> None:
    check_reachable(settings(addresses.format(port=port)))


@pytest.mark.parametrize(
    ("addresses", "reason"),
    [
        ("127.0.0.1:1", "connection refused"),
        ("127.0.0.1:1,127.0.0.1:2", "connection refused"),
        ("[::1]:1", "(connection refused|cannot assign|address family|network is unreachable)"),
        ("127.0.0.1:ninety", "'127.0.0.1:ninety' is not HOST:PORT"),
    ],
)
def test_an_error_has_the_addresses_the_setting_and_the_reason(addresses: str, reason: str) -> None:
    with pytest.raises(BrokerUnavailableError, match=rf"\(setting bootstrap\.servers\): {reason}") as error:
        check_reachable(settings(addresses))
    assert f"'{addresses}'" in str(error.value)


def test_a_broker_that_does_not_answer_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def time_out(_address: object, timeout_s: float) -> None:
        assert timeout_s == 5
        raise TimeoutError

    monkeypatch.setattr(socket, "create_connection", time_out)
    with pytest.raises(BrokerUnavailableError, match="no answer within 5 s"):
        check_reachable(settings("10.0.0.1:9092"))
