"""A driver of its own process, to be killed: `python -m tests.adapters.spark.kafka_driver SERVERS FOLDER MODE`.

It runs the three ways of kafka_flows at once; MODE is `now` (until all is done) or `on` (until a signal). Prints `ended` at an
orderly end, or what went wrong, and ends with 1 then.
"""

import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.spark.session import build_session
from eddyline.adapters.spark.signals import asking
from tests.adapters.spark.kafka_flows import WAYS, engine

BATCH_RECORDS = {"on": 100, "now": 1_000}
"""Small batches where kills shall meet many of them, larger ones to get to the end."""


def main(servers: str, folder: Path, mode: str) -> None:
    """Runs until all have ended."""
    settings = KafkaSettings({"bootstrap.servers": servers})
    folder.mkdir(parents=True, exist_ok=True)
    session = build_session("kafka-driver", master="local[2]", log_file=folder / "spark.log")
    engines = [
        engine(settings, folder, way, session=session, max_batch_records=BATCH_RECORDS[mode], trigger_interval_ms=0)
        for way in WAYS
    ]
    stopping = threading.Event()
    with asking(stopping.set), ThreadPoolExecutor(len(engines)) as threads:
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
