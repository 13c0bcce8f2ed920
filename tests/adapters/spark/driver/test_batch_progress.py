"""What the changelogs say about a batch is in the checkpoint before the batch runs."""

import json
from pathlib import Path
from typing import Any

import pytest

from eddyline.adapters.spark.engine import batch_progress
from eddyline.application.runtime.plan.changelogs import BatchProgress


def planned(folder: Path, batch: int, **offset: Any) -> None:
    """Write the file that Spark writes when it has planned a batch."""
    (folder / "offsets").mkdir(exist_ok=True)
    source = {"ends": {"t": [5, 6]}, "more": {}, "at": 1_000, **offset}
    lines = ("v1", json.dumps({"batchWatermarkMs": 0, "batchTimestampMs": 2_000, "conf": {}}), json.dumps(source))
    (folder / "offsets" / str(batch)).write_text("\n".join(lines))


@pytest.mark.parametrize(("machine_clock", "time_ms"), [(False, 1_000), (True, 2_000)])
def test_a_batch_has_its_ends_and_the_time_at_which_its_tasks_run(tmp_path: Path, *, machine_clock: bool, time_ms: int) -> None:
    planned(tmp_path, 7)
    assert batch_progress(tmp_path, 7, machine_clock=machine_clock) == BatchProgress(7, time_ms, {"t": [5, 6]})


def test_a_batch_with_more_records_has_the_ends_of_the_last_complete_batch(tmp_path: Path) -> None:
    planned(tmp_path, 8, more={"t": [1]}, complete={"t": [3, 4]})
    assert batch_progress(tmp_path, 8, machine_clock=False).offsets == {"t": [3, 4]}


def test_without_a_complete_batch_the_offsets_are_unknown(tmp_path: Path) -> None:
    planned(tmp_path, 8, more={"t": [1]})
    assert batch_progress(tmp_path, 8, machine_clock=False).offsets == {}
