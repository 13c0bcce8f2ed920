"""Rows as pandas data frames, for stateful stages. A separate module, since the driver does not need pandas, a slow import."""

from collections.abc import Iterable, Iterator

import pandas as pd

from eddyline.adapters.spark.exchange.rows import ROWS, Row, row_groups
from eddyline.adapters.spark.exchange.task_ids import TaskIds


def data_frames(rows: Iterable[Row], ids: TaskIds) -> Iterator[pd.DataFrame]:
    """Yield the rows as data frames of a few rows each."""
    for some in row_groups(rows, ids):
        yield pd.DataFrame(some, columns=ROWS.fieldNames())
