"""Stock statistics in windows on Bytewax, from a list to a list: `python bytewax_memory.py TRADES`.

Runs in an environment of its own; the file with trades is that of `peers.memory`.
"""

import json
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import bytewax.operators as op
import bytewax.operators.windowing as win
from bytewax.dataflow import Dataflow
from bytewax.testing import TestingSink, TestingSource, run_main

_NO_PRICE = 1e308
_EPOCH = datetime(2020, 1, 1, tzinfo=UTC)

_Total = tuple[float, int, float]
"""Least price, number and sum of prices."""


def main() -> None:
    """Print the processor time in seconds, the number of results and the sum of their counts."""
    rows = json.loads(Path(sys.argv[1]).read_text())
    trades = [(ticker, (datetime.fromtimestamp(at / 1_000, UTC), price)) for ticker, price, at in rows]
    results: list[tuple[str, tuple[int, _Total]]] = []
    found = Dataflow("stock-stats")
    clock = win.EventClock(lambda trade: trade[0], wait_for_system_duration=timedelta(0))
    windower = win.SlidingWindower(length=timedelta(seconds=5), offset=timedelta(seconds=1), align_to=_EPOCH)
    source = op.input("source", found, TestingSource(trades, batch_size=10_000))
    windows = win.fold_window("stats", source, clock, windower, lambda: (_NO_PRICE, 0, 0.0), _fold, _merge)
    op.output("sink", windows.down, TestingSink(results))
    began = time.process_time()
    run_main(found)
    used = time.process_time() - began
    print(json.dumps([used, len(results), sum(total[1] for _, (_, total) in results)]))


def _fold(total: _Total, trade: tuple[datetime, float]) -> _Total:
    price = trade[1]
    return min(total[0], price), total[1] + 1, total[2] + price


def _merge(one: _Total, other: _Total) -> _Total:
    return min(one[0], other[0]), one[1] + other[1], one[2] + other[2]


if __name__ == "__main__":
    main()
