"""A long test of a cluster: `python -m tests.adapters.spark.cluster.chaos [--kills N] [--seed N] [--folder FOLDER]`.

A flow runs from Kafka to Kafka on a standalone cluster of two workers and on three brokers. Executors are killed in the sink's
transaction or at any moment, workers are killed and replaced, brokers are killed and restarted, also the coordinator of an open
transaction, and the driver is killed and started in another directory. Then the totals are compared with those of a run without
interruptions. If they differ, the exit code is 1 and the folder is kept.
"""

import random
import sys
import time
from pathlib import Path
from typing import Final

from eddyline.adapters.kafka.settings import KafkaSettings
from tests.adapters.spark.cluster.standalone import Cluster, kill_executor_of
from tests.adapters.spark.cluster.user_flow import Drivers, Topics
from tests.adapters.spark.kills.chaos_command import chaos_command
from tests.fixtures.brokers import TRANSACTIONS, Brokers

_NUMBERS: Final = 500
_MAX_DELAY_S: Final = 6.0


class Chaos:
    """A cluster with a driver, its brokers, and the ways to kill parts of them."""

    def __init__(self, cluster: Cluster, brokers: Brokers, drivers: Drivers, topics: Topics, seed: int) -> None:
        self._cluster, self._brokers, self._drivers, self._topics = cluster, brokers, drivers, topics
        self._random = random.Random(seed)
        self._started = 0
        self._start()

    def kill_one(self) -> str:
        """Kill a part while the flow works, wait until it has processed everything, and return what was killed."""
        parts = (self._executor, self._worker, self._driver, self._broker)
        kill = self._random.choice((*parts, self._executor_in_transaction, self._coordinator_in_transaction))
        self._topics.write(_NUMBERS)
        killed = kill()
        self._topics.wait_until_processed(self._drivers, self._driver_name)
        return killed

    def _executor_in_transaction(self) -> str:
        holding = self._drivers.open_transaction(self._topics, _NUMBERS)
        kill_executor_of(int(holding.name))
        holding.unlink()
        return "an executor in the sink's transaction"

    def _coordinator_in_transaction(self) -> str:
        holding = self._drivers.open_transaction(self._topics, _NUMBERS)
        number = self._brokers.leader(TRANSACTIONS)
        self._brokers.kill_one(number)
        holding.unlink()
        self._topics.wait_until_processed(self._drivers, self._driver_name)
        self._brokers.restart(number)
        return f"broker {number}, the coordinator of an open transaction"

    def _broker(self) -> str:
        time.sleep(self._random.uniform(0, _MAX_DELAY_S))
        number = self._random.randrange(3)
        self._brokers.kill_one(number)
        self._brokers.restart(number)
        return f"broker {number}"

    def _executor(self) -> str:
        time.sleep(self._random.uniform(0, _MAX_DELAY_S))
        return f"{self._cluster.kill_executors(self._random.randrange(2))} executors"

    def _worker(self) -> str:
        time.sleep(self._random.uniform(0, _MAX_DELAY_S))
        number = self._random.randrange(2)
        self._cluster.kill_worker(number)
        self._cluster.start_worker(number)
        return f"worker {number}"

    def _driver(self) -> str:
        time.sleep(self._random.uniform(0, _MAX_DELAY_S))
        self._drivers.kill(self._driver_name)
        self._start()
        return "the driver"

    @property
    def _driver_name(self) -> str:
        return f"driver-{self._started}"

    def _start(self) -> None:
        self._started += 1
        self._drivers.start(self._driver_name, "totals")


def run(brokers: Brokers, folder: Path, kills: int, seed: int) -> bool:
    """Run the test on a new cluster and print its progress and its verdict; return whether it has passed."""
    cluster = Cluster(folder / "nodes")
    (folder / "drivers").mkdir()
    drivers: Drivers | None = None
    try:
        cluster.start(workers=2)
        drivers = Drivers(folder / "drivers", cluster.url, brokers.bootstrap_servers)
        topics = Topics(KafkaSettings({"bootstrap.servers": brokers.bootstrap_servers}))
        chaos = Chaos(cluster, brokers, drivers, topics, seed)
        began = time.monotonic()
        for number in range(kills):
            sys.stdout.write(f"{time.monotonic() - began:7.1f} s  kill {number + 1} of {kills}: {chaos.kill_one()}\n")
            sys.stdout.flush()
        passed = topics.totals() == topics.expected
    finally:
        if drivers is not None:
            drivers.kill_all()
        cluster.stop()
    sys.stdout.write("nothing lost, nothing duplicated\n" if passed else "results are lost or duplicated\n")
    return passed


if __name__ == "__main__":
    chaos_command(
        __doc__,
        "eddyline-cluster-chaos-",
        run,
        Brokers,
        kills=12,
    )
