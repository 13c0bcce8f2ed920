from collections.abc import Callable

import pytest

from eddyline.adapters.services.broker import Broker
from eddyline.adapters.services.errors import ServiceStartError
from eddyline.adapters.services.kafka_probe import knows_a_broker
from tests.fixtures.services import QUICK_RETURN


def test_the_broker_serves_on_loopback_only(kafka_broker: Broker, foreign_listeners: Callable[[int], list[str]]) -> None:
    assert kafka_broker.bootstrap_servers == f"127.0.0.1:{kafka_broker.port}"
    assert knows_a_broker("127.0.0.1", kafka_broker.port)
    assert foreign_listeners(kafka_broker.pid) == []


def test_a_killed_broker_starts_again_at_the_same_address(own_broker: Callable[..., Broker]) -> None:
    broker = own_broker(settings=QUICK_RETURN)
    broker.start()
    address = broker.bootstrap_servers
    broker.kill()
    assert not knows_a_broker("127.0.0.1", broker.port)
    broker.start()
    assert broker.bootstrap_servers == address
    assert knows_a_broker("127.0.0.1", broker.port)


def test_a_broker_with_a_setting_it_refuses_is_reported_with_its_own_words(own_broker: Callable[..., Broker]) -> None:
    broker = own_broker(settings={"num.partitions": "none"})
    with pytest.raises(ServiceStartError, match=r"num\.partitions"):
        broker.start()
