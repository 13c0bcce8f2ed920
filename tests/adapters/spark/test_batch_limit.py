"""The driver changes the limit of the records in a batch, which the process that plans batches reads."""

import pickle
from pathlib import Path

from eddyline.adapters.spark.batch_limit import BatchLimit


def test_another_process_reads_the_limit_that_was_set_last(tmp_path: Path) -> None:
    limit = BatchLimit.in_folder(tmp_path, 3)
    copy: BatchLimit = pickle.loads(pickle.dumps(limit))
    assert copy.get(5) == 3
    limit.set(7)
    limit.set(12)
    assert copy.get(5) == 12
    assert len(list(tmp_path.iterdir())) == 1


def test_limits_in_one_folder_are_independent(tmp_path: Path) -> None:
    one, other = BatchLimit.in_folder(tmp_path, 3), BatchLimit.in_folder(tmp_path, 4)
    one.set(9)
    assert other.get(5) == 4


def test_the_limit_is_the_default_if_its_file_is_gone(tmp_path: Path) -> None:
    assert BatchLimit(tmp_path / "limit").get(5) == 5
