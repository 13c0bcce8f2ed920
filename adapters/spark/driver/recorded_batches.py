"""The batches in the checkpoint of a flow: what each of them read, and at which wall-clock time. Read without Spark."""

import json
from collections.abc import Iterator
from pathlib import Path

from eddyline.adapters.spark.driver.checkpoint_files import QUERY_FOLDER
from eddyline.application.lineage.schedules import KnownBatch


def recorded_batches(checkpoint: Path) -> list[KnownBatch]:
    """Return the batches that a checkpoint has, by number; Spark keeps the last hundred. None if there is no checkpoint."""
    folder = checkpoint / QUERY_FOLDER / "offsets"
    numbers = sorted(int(path.name) for path in folder.glob("*") if path.name.isdigit())
    found = list(_read(folder, numbers))
    return [batch for batch in found if batch.time_ms]


def _read(folder: Path, numbers: list[int]) -> Iterator[KnownBatch]:
    for number in numbers:
        try:
            *_, source = (folder / str(number)).read_text(encoding="utf-8").splitlines()
            offset = json.loads(source)
            yield KnownBatch(number, offset["at"], offset["ends"], offset["more"])
        except (OSError, ValueError, KeyError, TypeError):
            return
