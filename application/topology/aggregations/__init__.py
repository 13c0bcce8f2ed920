"""Ready-made aggregations: how the values of a group become one result, on streams, in windows and sessions, and on tables."""

from eddyline.application.topology.aggregations.aggregation import Aggregation, Steps
from eddyline.application.topology.aggregations.combined import combine
from eddyline.application.topology.aggregations.distinct import count_distinct
from eddyline.application.topology.aggregations.fold import Fold
from eddyline.application.topology.aggregations.numbers import avg, count, sum  # noqa: A004 - named as in SQL
from eddyline.application.topology.aggregations.ordered import (
    collect_list,
    max,  # noqa: A004 - named as in SQL
    max_by,
    min,  # noqa: A004 - named as in SQL
    min_by,
    top_n,
)
from eddyline.application.topology.aggregations.percentiles import percentile

__all__ = [
    "Aggregation",
    "Fold",
    "Steps",
    "avg",
    "collect_list",
    "combine",
    "count",
    "count_distinct",
    "max",
    "max_by",
    "min",
    "min_by",
    "percentile",
    "sum",
    "top_n",
]
