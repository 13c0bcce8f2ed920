"""The batches in a checkpoint are read without Spark."""

import json
from pathlib import Path

from eddyline.adapters.spark.driver.recorded_batches import recorded_batches
from eddyline.application.lineage.schedules import KnownBatch


def write(folder: Path, name: str, offset: object) -> None:
    path = folder / "spark/offsets" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(["v1", json.dumps({"batchTimestampMs": 7}), json.dumps(offset)]))


def test_batches_are_returned_by_number(tmp_path: Path) -> None:
    write(tmp_path, "10", {"ends": {"a": [5]}, "more": {"a": [0]}, "at": 20})
    write(tmp_path, "9", {"ends": {"a": [3]}, "more": {}, "at": 10})
    assert recorded_batches(tmp_path) == [KnownBatch(9, 10, {"a": [3]}, {}), KnownBatch(10, 20, {"a": [5]}, {"a": [0]})]


def test_a_batch_that_is_being_written_ends_the_list(tmp_path: Path) -> None:
    write(tmp_path, "0", {"ends": {"a": [3]}, "more": {}, "at": 10})
    (tmp_path / "spark/offsets/1").write_text("v1\n")
    (tmp_path / "spark/offsets/.2.crc").write_text("")
    assert recorded_batches(tmp_path) == [KnownBatch(0, 10, {"a": [3]}, {})]


def test_without_a_checkpoint_there_are_no_batches(tmp_path: Path) -> None:
    assert recorded_batches(tmp_path) == []
