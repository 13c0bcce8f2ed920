import socket
import threading
from collections.abc import Callable

import pytest

from eddyline.adapters.services.broker import Broker
from eddyline.adapters.services.errors import ServiceStartError
from eddyline.adapters.services.kafka_probe import is_broker_ready
from tests.fixtures.services import QUICK_RETURN


def test_the_broker_listens_on_loopback_only(kafka_broker: Broker, foreign_listeners: Callable[[int], list[str]]) -> None:
    assert kafka_broker.bootstrap_servers == f"127.0.0.1:{kafka_broker.port}"
    assert is_broker_ready("127.0.0.1", kafka_broker.port)
    assert foreign_listeners(kafka_broker.pid) == []


@pytest.mark.slow
def test_a_killed_broker_can_be_restarted_at_the_same_address(own_broker: Callable[..., Broker]) -> None:
    broker = own_broker(settings=QUICK_RETURN)
    broker.start()
    address = broker.bootstrap_servers
    broker.kill()
    assert not is_broker_ready("127.0.0.1", broker.port)
    broker.start()
    assert broker.bootstrap_servers == address
    assert is_broker_ready("127.0.0.1", broker.port)


def test_an_invalid_broker_setting_is_reported_with_the_error_of_kafka(own_broker: Callable[..., Broker]) -> None:
    broker = own_broker(settings={"num.partitions": "none"})
    with pytest.raises(ServiceStartError, match=r"num\.partitions"):
        broker.start()


@pytest.mark.parametrize("response", [b"\xff\xff\xff\xff", b"\x00\x00\x00\x02ok", b""])
def test_a_server_that_is_not_kafka_is_not_a_ready_broker(response: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def respond() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(1_000)
                connection.sendall(response)

        thread = threading.Thread(target=respond)
        thread.start()
        assert not is_broker_ready("127.0.0.1", server.getsockname()[1])
        thread.join()
