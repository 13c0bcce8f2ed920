"""A driver to be killed, from Kafka to Kafka: `python -m tests.adapters.spark.kills.kafka_driver SERVERS FOLDER MODE`.

Runs all variants of kafka_flows at the same time. MODE is `available-now` (until everything is processed) or `continuous` (until
a signal). Prints `ended` if it was stopped by a signal or is done; otherwise prints the error and exits with 1.
"""

import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.spark.driver.session import build_session
from eddyline.adapters.spark.engine import stop_requests
from tests.adapters.spark.kills.kafka_flows import VARIANTS, engine

BATCH_RECORDS = {"continuous": 100, "available-now": 1_000}
"""Small batches, so that kills interrupt many of them; larger ones to reach the end."""


def main(servers: str, folder: Path, mode: str) -> None:
    """Run until all variants have ended."""
    settings = KafkaSettings({"bootstrap.servers": servers})
    folder.mkdir(parents=True, exist_ok=True)
    session = build_session("kafka-driver", master="local[2]", log_file=folder / "spark.log")
    engines = [
        engine(settings, folder, variant, session=session, max_batch_records=BATCH_RECORDS[mode], trigger_interval_ms=0)
        for variant in VARIANTS
    ]
    stopping = threading.Event()
    with stop_requests(stopping.set), ThreadPoolExecutor(len(engines)) as threads:
        runs = [threads.submit(own.run_available_now if mode == "available-now" else own.run) for own in engines]
        while not all(run.done() for run in runs):
            if stopping.wait(0.05) or any(run.done() and run.exception() for run in runs):
                for own in engines:
                    own.stop()
        for run in runs:
            run.result()
    sys.stdout.write("ended\n")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3])
