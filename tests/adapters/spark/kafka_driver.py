"""A driver in a process of its own, to be killed: `python -m tests.adapters.spark.kafka_driver SERVERS FOLDER MODE`.

It runs the three ways of kafka_flows at once; MODE is `now` (until everything is processed) or `on` (until a signal). Prints
`ended` when it was stopped in an orderly way; otherwise prints the error and exits with 1.
"""

import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.spark.driver.session import build_session
from eddyline.adapters.spark.driver.signals import stop_requests
from tests.adapters.spark.kafka_flows import WAYS, engine

BATCH_RECORDS = {"on": 100, "now": 1_000}
"""Small batches, so that kills interrupt many of them; larger ones to reach the end."""


def main(servers: str, folder: Path, mode: str) -> None:
    """Run until all have ended."""
    settings = KafkaSettings({"bootstrap.servers": servers})
    folder.mkdir(parents=True, exist_ok=True)
    session = build_session("kafka-driver", master="local[2]", log_file=folder / "spark.log")
    engines = [
        engine(settings, folder, way, session=session, max_batch_records=BATCH_RECORDS[mode], trigger_interval_ms=0)
        for way in WAYS
    ]
    stopping = threading.Event()
    with stop_requests(stopping.set), ThreadPoolExecutor(len(engines)) as threads:
        runs = [threads.submit(own.run_available_now if mode == "now" else own.run) for own in engines]
        while not all(run.done() for run in runs):
            if stopping.wait(0.05) or any(run.done() and run.exception() for run in runs):
                for own in engines:
                    own.stop()
        for run in runs:
            run.result()
    sys.stdout.write("ended\n")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3])
