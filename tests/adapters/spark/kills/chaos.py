"""A long test of exactly-once: `python -m tests.adapters.spark.kills.chaos [--kills N] [--seed N] [--folder FOLDER]`.

Stock statistics run from Kafka to Kafka in three variants at the same time: every update exactly once, the latest updates exactly
once, every update at least once. The driver is killed many times, and halfway through the broker is restarted. Then the results
are compared with those of a run without interruptions. If they differ, the exit code is 1 and the folder is kept.
"""

import time
from functools import partial
from pathlib import Path
from typing import Final

from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.services.broker import Broker
from tests.adapters.spark.kills.chaos_command import chaos_command
from tests.adapters.spark.kills.kafka_flows import append
from tests.adapters.spark.kills.killer import Killer, finish
from tests.adapters.spark.kills.verdict import has_passed
from tests.adapters.spark.running import trades
from tests.fixtures.progress import tell_after

_TRADES_PER_DRIVER: Final = 1_000
_PROGRESS_TIMEOUT_S: Final = 300.0
_FINISH_TIMEOUT_S: Final = 1_200.0


def run(broker: Broker, folder: Path, kills: int, seed: int) -> bool:
    """Run the test and print its progress and its verdict; return whether it has passed."""
    settings = KafkaSettings({"bootstrap.servers": broker.bootstrap_servers})
    records = trades(_TRADES_PER_DRIVER * (kills + 1), seed=seed)
    killer = Killer(settings, folder / "run", seed=seed, timeout_s=_PROGRESS_TIMEOUT_S)
    tell = partial(tell_after, time.monotonic())

    def restart() -> None:
        tell("restarting the broker")
        broker.stop()
        broker.start()

    for number in range(kills):
        append(settings, records[number * _TRADES_PER_DRIVER : (number + 1) * _TRADES_PER_DRIVER])
        moment = killer.kill_one(restart if number == kills // 2 else None)
        tell(f"kill {number + 1} of {kills}: {moment}")
    killer.close()
    append(settings, records[kills * _TRADES_PER_DRIVER :])
    finish(settings, folder / "run", _FINISH_TIMEOUT_S)
    tell("a driver has processed the rest")

    return has_passed(settings, records, f"{kills} kills, one restart of the broker", tell)


if __name__ == "__main__":
    chaos_command(__doc__, "eddyline-chaos-", run, Broker, kills=25)
