"""A driver of its own process, to be killed: `python driver.py FOLDER MODE`, MODE being `now` or `on`.

Prints a line a batch; at the end `ended` and how many batches it ran.
"""

import sys
from pathlib import Path
from typing import Any

from eddyline.application.runtime.report import Progress, RunReport
from eddyline.application.samples.catalogue import find_flow
from tests.adapters.spark.running import Place


def show(progress: Progress, report: RunReport) -> None:
    """A batch has ended."""
    del report
    sys.stdout.write(f"batch {progress.batch}\n")
    sys.stdout.flush()


def main(folder: Path, mode: str) -> None:
    """Runs stock statistics in small batches."""
    topology = find_flow("stock-stats").topology(grace_ms=1_000)
    options: dict[str, Any] = {"emit": "every-update", "max_batch_records": 200, "trigger_interval_ms": 0, "master": "local[2]"}
    engine = Place(folder).engine(topology, **options)
    report = (engine.run_available_now if mode == "now" else engine.run)(show)
    sys.stdout.write(f"ended {report.batches}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
