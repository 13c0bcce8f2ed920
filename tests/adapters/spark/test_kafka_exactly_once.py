"""From Kafka to Kafka, whenever the driver is killed: nothing is lost, and nothing comes twice that must come once."""

from collections.abc import Callable
from pathlib import Path

import pytest

from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.services.broker import Broker
from tests.adapters.spark.kafka_flows import WAYS, append, faults, results, undisturbed
from tests.adapters.spark.kafka_kills import Killer, finish
from tests.adapters.spark.running import trades

pytestmark = [pytest.mark.spark, pytest.mark.timeout(1_200)]

_KILLS = 3
_A_DRIVER = 600


def test_three_kills_at_any_moment_neither_lose_nor_double_anything(own_broker: Callable[..., Broker], tmp_path: Path) -> None:
    broker = own_broker()
    broker.start()
    settings = KafkaSettings({"bootstrap.servers": broker.bootstrap_servers})
    given = trades(_A_DRIVER * (_KILLS + 1))
    killer = Killer(settings, tmp_path / "run", seed=5, timeout_s=240)
    for start in range(0, _A_DRIVER * _KILLS, _A_DRIVER):
        append(settings, given[start : start + _A_DRIVER])
        killer.kill_one()
    killer.close()
    append(settings, given[_A_DRIVER * _KILLS :])
    finish(settings, tmp_path / "run", timeout_s=400)

    expected = undisturbed(given)
    assert {way.topic: faults(way, results(settings, way.topic), expected) for way in WAYS} == {way.topic: [] for way in WAYS}
