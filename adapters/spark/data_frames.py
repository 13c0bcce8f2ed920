"""Rows as pandas' data frames, which stateful stages speak. Planning needs none of this, and pandas is slow to import."""

from collections.abc import Iterable, Iterator

import pandas as pd

from eddyline.adapters.spark.outbox import Row
from eddyline.adapters.spark.rows import ROWS, grouped


def in_frames(rows: Iterable[Row], groups: int) -> Iterator[pd.DataFrame]:
    """Rows as data frames of a few each."""
    for some in grouped(rows, groups):
        yield pd.DataFrame(some, columns=ROWS.fieldNames())
