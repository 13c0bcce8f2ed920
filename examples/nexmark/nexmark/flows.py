"""The flows of this project, which the entry point in pyproject.toml names: one for each query, `nexmark-q0` to `nexmark-q22`."""

from collections.abc import Callable, Mapping

from eddyline import Flow
from nexmark.queries import joins, single_events, statistics, windows, winners

Query = Callable[..., None]

QUERIES: Mapping[str, Query] = {
    "q0": single_events.q0,
    "q1": single_events.q1,
    "q2": single_events.q2,
    "q3": joins.q3,
    "q4": winners.q4,
    "q5": windows.q5,
    "q6": winners.q6,
    "q7": windows.q7,
    "q8": windows.q8,
    "q9": winners.q9,
    "q11": windows.q11,
    "q12": windows.q12,
    "q13": joins.q13,
    "q14": single_events.q14,
    "q15": statistics.q15,
    "q16": statistics.q16,
    "q17": statistics.q17,
    "q18": statistics.q18,
    "q19": statistics.q19,
    "q20": joins.q20,
    "q21": single_events.q21,
    "q22": single_events.q22,
}
"""The queries by their numbers. q10, which writes bids into folders, is an exercise for file sinks."""

FLOWS = tuple(
    Flow(f"nexmark-{name}", (query.__doc__ or name).splitlines()[0], query, emit="latest") for name, query in QUERIES.items()
)
