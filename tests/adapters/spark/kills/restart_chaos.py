"""A long test of runs whose broker restarts: `python -m tests.adapters.spark.kills.restart_chaos [--restarts N] [--seed N] …`.

Stock statistics run from Kafka to Kafka in the variants of `chaos`, in one driver that is not killed. The broker is stopped and
started many times, at random moments and for up to three seconds. The driver must not end, and the results must be those of
a run without interruptions. If not, the exit code is 1 and the folder is kept.
"""

import random
import time
from functools import partial
from pathlib import Path
from typing import Final

from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.services.broker import Broker
from tests.adapters.spark.kills.chaos_command import chaos_command
from tests.adapters.spark.kills.kafka_flows import append
from tests.adapters.spark.kills.killer import Killer, driver, finish
from tests.adapters.spark.kills.verdict import has_passed
from tests.adapters.spark.running import trades
from tests.fixtures.progress import tell_after

_TRADES_PER_RESTART: Final = 400
_TIMEOUT_S: Final = 300.0
_DOWN_S: Final = (0.0, 0.0, 1.0, 3.0)


def run(broker: Broker, folder: Path, restarts: int, seed: int) -> bool:
    """Run the test and print its progress and its verdict; return whether it has passed."""
    settings = KafkaSettings({"bootstrap.servers": broker.bootstrap_servers})
    records = trades(_TRADES_PER_RESTART * (restarts + 1), seed=seed)
    portions = (records[at : at + _TRADES_PER_RESTART] for at in range(0, len(records), _TRADES_PER_RESTART))
    chance, tell = random.Random(seed), partial(tell_after, time.monotonic())
    killer = Killer(settings, folder / "run", seed=seed, timeout_s=_TIMEOUT_S)
    append(settings, next(portions))
    with driver(settings, folder / "run", "continuous") as process:
        killer.await_batches(process)
        for number, portion in enumerate(portions):
            append(settings, portion)
            delay_s, down_s = chance.uniform(0, 1.5), chance.choice(_DOWN_S)
            time.sleep(delay_s)
            broker.stop()
            time.sleep(down_s)
            broker.start()
            began = time.monotonic()
            killer.await_batches(process)
            moment = f"{delay_s:.2f} s after more trades, for {down_s:.0f} s; results after {time.monotonic() - began:.1f} s"
            tell(f"restart {number + 1} of {restarts}: {moment}")
    killer.close()
    finish(settings, folder / "run", _TIMEOUT_S)
    return has_passed(settings, records, f"{restarts} restarts of the broker", tell)


if __name__ == "__main__":
    chaos_command(
        __doc__,
        "eddyline-restarts-",
        run,
        Broker,
        restarts=20,
    )
