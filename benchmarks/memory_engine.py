"""Measures how many trades per second the memory engine processes in the flow stock-stats, on one core.

    python benchmarks/memory_engine.py [--records N]

The trades are domain objects created in advance: 100 tickers, 20 trades per millisecond of event time. The windows are 5 s long
and advance by 1 s.
"""

import argparse
import gc
import random
import time

from eddyline.adapters.memory.engine import MemoryEngine
from eddyline.application.samples.catalogue import find_flow
from eddyline.application.topology.exception_handlers import Response
from eddyline.application.topology.types import Emit
from eddyline.domain.trading import Trade

BATCH = 10_000


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
    records = trades(parser.parse_args().records)
    print(f"stock-stats in memory, {len(records):,} trades, one core")
    for emit in ("every-update", "latest"):
        for handler in ("fail", "continue"):
            runs = [rate(records, emit, handler) for _ in range(3)]
            fastest = max(speed for speed, _ in runs)
            print(f"  emit={emit:<13} handler={handler:<9} {fastest:>9,.0f} records/s   {runs[0][1]:>9,} output records")


if __name__ == "__main__":
    main()
