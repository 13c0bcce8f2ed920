"""Stock statistics in windows on Pathway, from a table in memory: `python pathway_memory.py TRADES`.

Runs in an environment of its own; the file with trades is that of `peers.memory`.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any

import pathway as pw


class _Trade(pw.Schema):  # type: ignore[misc] # without types
    ticker: str
    price: float
    time_ms: int


def main() -> None:
    """Print the processor time in seconds, the number of results and the sum of their counts."""
    rows = [tuple(trade) for trade in json.loads(Path(sys.argv[1]).read_text())]
    windows = pw.temporal.sliding(hop=1_000, duration=5_000)
    began = time.process_time()
    trades = pw.debug.table_from_rows(_Trade, rows)
    stats = trades.windowby(trades.time_ms, window=windows, instance=trades.ticker).reduce(
        ticker=pw.this._pw_instance,  # noqa: SLF001 - the name that its documentation gives
        start=pw.this._pw_window_start,  # noqa: SLF001 - likewise
        least=pw.reducers.min(pw.this.price),
        count=pw.reducers.count(),
        average=pw.reducers.avg(pw.this.price),
    )
    results = []

    def on_change(key: Any, row: dict[str, Any], time: int, is_addition: bool) -> None:  # noqa: FBT001 - that of Pathway
        del key, time, is_addition
        results.append(row["count"])

    pw.io.subscribe(stats, on_change=on_change)
    pw.run(monitoring_level=pw.MonitoringLevel.NONE)
    used = time.process_time() - began
    print(json.dumps([used, len(results), sum(results)]))


if __name__ == "__main__":
    main()
