"""From Kafka to Kafka, killed drivers lose no result, and duplicate none where results are exactly once."""

from collections.abc import Callable
from pathlib import Path

import pytest

from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.services.broker import Broker
from tests.adapters.spark.kills.kafka_flows import VARIANTS, append, differences, expected_updates, results
from tests.adapters.spark.kills.killer import Killer, finish
from tests.adapters.spark.running import trades

pytestmark = [pytest.mark.spark, pytest.mark.timeout(1_200)]

_TRADES_PER_DRIVER = 300


@pytest.mark.parametrize("kills", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_kills_at_random_moments_lose_and_duplicate_nothing(
    own_broker: Callable[..., Broker], tmp_path: Path, kills: int
) -> None:
    broker = own_broker()
    broker.start()
    settings = KafkaSettings({"bootstrap.servers": broker.bootstrap_servers})
    records = trades(_TRADES_PER_DRIVER * (kills + 1))
    killer = Killer(settings, tmp_path / "run", seed=5, timeout_s=240)
    for start in range(0, _TRADES_PER_DRIVER * kills, _TRADES_PER_DRIVER):
        append(settings, records[start : start + _TRADES_PER_DRIVER])
        killer.kill_one()
    killer.close()
    append(settings, records[_TRADES_PER_DRIVER * kills :])
    finish(settings, tmp_path / "run", timeout_s=400)

    expected = expected_updates(records)
    found = {variant.topic: differences(variant, results(settings, variant.topic), expected) for variant in VARIANTS}
    assert found == {variant.topic: [] for variant in VARIANTS}
