"""Ready-made aggregations, for `aggregate(…)` of grouped streams and tables, with or without windows and sessions.

Import the module under a short name, since some functions are named as in SQL: `from eddyline import aggregations as agg`.
"""

from eddyline.application.topology.aggregations import (
    Aggregation,
    avg,
    collect_list,
    combine,
    count,
    count_distinct,
    max,  # noqa: A004 - named as in SQL
    max_by,
    min,  # noqa: A004 - named as in SQL
    min_by,
    percentile,
    sum,  # noqa: A004 - named as in SQL
    top_n,
)

__all__ = [
    "Aggregation",
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
