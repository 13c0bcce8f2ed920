"""A driver to be killed, from files to files: `python -m tests.adapters.spark.kills.file_driver FOLDER MODE`.

MODE is `available-now` or `continuous`. Prints a line for each batch and, if it was not killed, the number of batches at the end.
"""

import sys
from pathlib import Path

from eddyline.application.runtime.progress.report import Progress, RunReport
from eddyline.application.samples.catalogue import find_flow
from tests.adapters.spark.running import Workspace


def print_batch(progress: Progress, report: RunReport) -> None:
    """Print the number of a batch that was completed."""
    del report
    sys.stdout.write(f"batch {progress.batch}\n")
    sys.stdout.flush()


def main(folder: Path, mode: str) -> None:
    """Run stock statistics in small batches."""
    topology = find_flow("stock-stats").topology(grace_ms=1_000)
    engine = Workspace(folder).engine(
        topology, emit="every-update", max_batch_records=200, trigger_interval_ms=0, spark_config={"spark.master": "local[2]"}
    )
    report = (engine.run_available_now if mode == "available-now" else engine.run)(print_batch)
    sys.stdout.write(f"ended {report.batches}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
