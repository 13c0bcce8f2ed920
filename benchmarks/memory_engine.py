"""Measures how many trades per second the memory engine processes in the flow stock-stats, on one core.

    python -m benchmarks.memory_engine [--records N] [--peers]

The trades are domain objects created in advance: 100 tickers, 20 trades per millisecond of event time. The windows are 5 s long
and advance by 1 s. With `--peers`, Bytewax and Pathway process the same trades, also in memory and in turns with the engine.
Their results are the windows that are complete, so the latest update is what compares; the time is that of the processor.
"""

import argparse
import gc
import random
import tempfile
import time
from pathlib import Path

from benchmarks.goals import print_goal
from benchmarks.peers import memory
from eddyline.adapters.memory.engine import MemoryEngine
from eddyline.application.samples.catalogue import find_flow
from eddyline.application.topology.exception_handlers import Response
from eddyline.application.topology.types import Emit
from eddyline.domain.trading import Trade

BATCH = 10_000
_OWN = "eddyline, latest update"
_GOAL = 5.0


def trades(count: int) -> list[tuple[str, str, Trade, int]]:
    """Return trades of 100 tickers in order of time."""
    rng = random.Random(1)
    start = 1_700_000_000_000
    tickers = [f"T{number:03}" for number in range(100)]
    return [
        ("trades", ticker, Trade("ASK", ticker, round(rng.uniform(10, 200), 2), 100), start + number // 20)
        for number in range(count)
        for ticker in [rng.choice(tickers)]
    ]


def rate(records: list[tuple[str, str, Trade, int]], emit: Emit, handler: Response = "fail") -> tuple[float, int]:
    """Return the records per second of processor time, and the number of output records."""
    engine = MemoryEngine(find_flow("stock-stats").topology(), emit=emit, processing_exception_handler=handler)
    outputs = 0
    gc.collect()
    begin = time.process_time()
    for start in range(0, len(records), BATCH):
        engine.pipe_all(records[start : start + BATCH])
        outputs += len(engine.take_outputs())
    return len(records) / (time.process_time() - begin), outputs


def main() -> None:
    """Print a line for each emit mode and processing exception handler: the best of three runs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=300_000)
    parser.add_argument("--peers", action="store_true", help="measure other systems, too")
    given = parser.parse_args()
    records = trades(given.records)
    print(f"stock-stats in memory, {len(records):,} trades, one core")
    for emit in ("every-update", "latest"):
        for handler in ("fail", "continue"):
            runs = [rate(records, emit, handler) for _ in range(3)]
            fastest = max(speed for speed, _ in runs)
            print(f"  emit={emit:<13} handler={handler:<9} {fastest:>9,.0f} records/s   {runs[0][1]:>9,} output records")
    if given.peers:
        _compare(records)


def _compare(records: list[tuple[str, str, Trade, int]]) -> None:
    """Print the best of three runs of the latest update and of each peer, in turns."""
    found: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "trades.json"
        memory.write_trades(((ticker, trade.price, timestamp) for _, ticker, trade, timestamp in records), file)
        for _ in range(3):
            found.setdefault(_OWN, []).append(rate(records, "latest")[0])
            for peer in memory.PEERS:
                measured = memory.run(peer, file)
                found.setdefault(peer, []).append(len(records) / measured.seconds)
    for program, rates in found.items():
        print(f"  {program:<24} {max(rates):>9,.0f} records/s")
    print_goal("latest update beside bytewax, records/s", max(found[_OWN]) / max(found["bytewax"]), _GOAL)


if __name__ == "__main__":
    main()
