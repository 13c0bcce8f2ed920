"""Which layout of a task's state on Spark costs least: run `python benchmarks/state_layout.py`.

Three layouts keep the same entries over the same tasks: an entry a key in a map state; blobs of buckets of keys; chunks, one a
batch, over a copy in the worker's memory (adapters/spark/chunks.py, the one the engine uses). Each is filled, then given
batches that each touch some entries at random, then restarted with workers that remember nothing.
"""

import argparse
import json
import random
import statistics
import sys
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [] if str(ROOT) in sys.path else [str(ROOT)]

import pandas as pd  # noqa: E402 - after the path
import pyarrow as pa  # noqa: E402
from pyspark.sql import DataFrame, SparkSession  # noqa: E402
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition  # noqa: E402
from pyspark.sql.streaming import StatefulProcessor, StatefulProcessorHandle  # noqa: E402
from pyspark.sql.streaming.datasource import ReadLimit, ReadMaxRows, SupportsTriggerAvailableNow  # noqa: E402
from pyspark.sql.streaming.stateful_processor import TimerValues  # noqa: E402
from pyspark.sql.types import BinaryType, IntegerType, LongType, StructField, StructType  # noqa: E402

from eddyline.adapters.spark.driver.session import build_session  # noqa: E402
from eddyline.adapters.spark.state.chunk_store import SparkChunkStore  # noqa: E402
from eddyline.adapters.spark.state.chunks import ChunkedState  # noqa: E402

TASKS = 4
LOAD_PER_BATCH = 200_000
BUCKET_ENTRIES = 256
ROWS = StructType([StructField("task", IntegerType()), StructField("numbers", BinaryType())])
RESULT = StructType([StructField("task", IntegerType()), StructField("touched", LongType())])
KEY, VALUE = StructType([StructField("key", BinaryType())]), StructType([StructField("value", BinaryType())])


def key_bytes(number: int) -> bytes:
    """The key of an entry, as a windowed ticker would be written."""
    return b'["TICK%07d",1700000000000]' % number


def updated(value: bytes | None) -> bytes:
    """The entry's value after one more record."""
    count = 0 if value is None else json.loads(value)["count"]
    return json.dumps({"type": "trade", "ticker": "TICK", "count": count + 1, "sum": 12345.678, "min": 101.25}).encode()


class MapLayout(StatefulProcessor):
    """An entry a key in a map state."""

    def __init__(self, run: str, entries: int) -> None:
        del run, entries

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Opens the map."""
        self.state = handle.getMapState("entries", KEY, VALUE)

    def handleInputRows(self, key: Any, rows: Any, timerValues: TimerValues) -> Iterator[pd.DataFrame]:  # noqa: N802, N803
        """Reads and writes each touched entry."""
        del timerValues
        numbers = touched(rows)
        for number in numbers:
            place = (key_bytes(number),)
            found = self.state.getValue(place)
            self.state.updateValue(place, (updated(found[0] if found else None),))
        yield result(key[0], numbers)

    def close(self) -> None:
        """Nothing is open."""


class BucketLayout(StatefulProcessor):
    """Blobs of buckets: the entries whose keys have the same hash lie together and are read and written together."""

    def __init__(self, run: str, entries: int) -> None:
        del run
        self.buckets = max(1, entries // TASKS // BUCKET_ENTRIES)

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Opens the map of buckets."""
        bucket = StructType([StructField("bucket", IntegerType())])
        self.state = handle.getMapState("buckets", bucket, VALUE)

    def handleInputRows(self, key: Any, rows: Any, timerValues: TimerValues) -> Iterator[pd.DataFrame]:  # noqa: N802, N803
        """Reads and writes each bucket that holds a touched entry."""
        del timerValues
        numbers = touched(rows)
        by_bucket: dict[int, list[bytes]] = {}
        for number in numbers:
            place = key_bytes(number)
            by_bucket.setdefault(zlib.crc32(place) % self.buckets, []).append(place)
        for number, places in by_bucket.items():
            found = self.state.getValue((number,))
            parts = found[0].split(b"\n") if found else []
            bucket = dict(zip(parts[::2], parts[1::2], strict=True))
            for place in places:
                bucket[place] = updated(bucket.get(place))
            self.state.updateValue((number,), (b"\n".join(part for entry in bucket.items() for part in entry),))
        yield result(key[0], numbers)

    def close(self) -> None:
        """Nothing is open."""


COPIES: dict[tuple[str, int], ChunkedState] = {}


class ChunkLayout(StatefulProcessor):
    """Chunks: the worker holds a copy and writes what the batch changed."""

    def __init__(self, run: str, entries: int) -> None:
        del entries
        self.run = run

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Opens the header and the chunks."""
        self.cells = SparkChunkStore(handle)

    def handleInputRows(self, key: Any, rows: Any, timerValues: TimerValues) -> Iterator[pd.DataFrame]:  # noqa: N802, N803
        """Catches the copy up, changes it, writes one chunk."""
        del timerValues
        numbers = touched(rows)
        place = (self.run, key[0])
        state = COPIES.pop(place, None) or ChunkedState()
        state.catch_up(self.cells)
        state.commit(self.cells, [(name, updated(state.get(name))) for name in map(key_bytes, numbers)])
        COPIES[place] = state
        yield result(key[0], numbers)

    def close(self) -> None:
        """Nothing is open."""


LAYOUTS = {"map": MapLayout, "buckets": BucketLayout, "chunks": ChunkLayout}


def touched(rows: Iterator[pd.DataFrame]) -> list[int]:
    """The numbers of the entries that the rows name."""
    return [number for frame in rows for blob in frame["numbers"] for number in memoryview(blob).cast("q")]


def result(task: int, numbers: list[int]) -> pd.DataFrame:
    """What a task answers."""
    return pd.DataFrame({"task": [task], "touched": [len(numbers)]})


class Range(InputPartition):
    """The batches from `start` up to `end`."""

    def __init__(self, start: int, end: int) -> None:
        self.start, self.end = start, end


class Touches(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Offsets are batches: the first ones fill the state in order, the others touch entries at random."""

    def __init__(self, options: dict[str, str]) -> None:
        self.entries, self.touch, self.batches = (int(options[name]) for name in ("entries", "touch", "batches"))
        self.load = max(1, self.entries // LOAD_PER_BATCH)

    def initialOffset(self) -> dict[str, int]:  # noqa: N802
        """Before the first batch."""
        return {"batch": 0}

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802
        """One batch at a time."""
        return ReadMaxRows(1)

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """The end is known from the start."""

    def latestOffset(self, start: dict[str, int], limit: ReadLimit) -> dict[str, int]:  # noqa: N802
        """The next batch, up to the last."""
        del limit
        return {"batch": min(start["batch"] + 1, self.load + self.batches)}

    def partitions(self, start: dict[str, int], end: dict[str, int]) -> list[InputPartition]:
        """One partition makes all rows."""
        return [Range(start["batch"], end["batch"])] if start != end else []

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """A row a task: the numbers of the entries to touch."""
        for batch in range(partition.start, partition.end) if isinstance(partition, Range) else ():
            if batch < self.load:
                size = self.entries // self.load
                numbers: Any = range(batch * size, (batch + 1) * size)
            else:
                numbers = random.Random(batch).sample(range(self.entries), self.touch)
            blobs = [
                pa.array([n for n in numbers if n % TASKS == task], pa.int64()).buffers()[1].to_pybytes() for task in range(TASKS)
            ]
            columns = [pa.array(range(TASKS), pa.int32()), pa.array(blobs, pa.binary())]
            yield pa.RecordBatch.from_arrays(columns, ["task", "numbers"])


class TouchSource(DataSource):
    """Makes the reader."""

    @classmethod
    def name(cls) -> str:
        """The name under which it is loaded."""
        return "touches"

    def schema(self) -> StructType:
        """A task and the entries to touch."""
        return ROWS

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802
        """A reader of the batches."""
        del schema
        return Touches(dict(self.options))


def run(session: SparkSession, processor: StatefulProcessor, checkpoint: Path, **options: int) -> list[float]:
    """Runs a query to its end; the seconds of each of its batches."""
    rows = session.readStream.format("touches").options(**options).load()
    out = rows.groupBy("task").transformWithStateInPandas(processor, RESULT, "append", "none")

    def collect(frame: DataFrame, _batch: int) -> None:
        frame.collect()

    query = out.writeStream.foreachBatch(collect).option("checkpointLocation", str(checkpoint)).trigger(availableNow=True).start()
    query.awaitTermination()
    return [progress["durationMs"]["triggerExecution"] / 1000 for progress in query.recentProgress if progress["numInputRows"]]


def measure(session: SparkSession, layout: str, entries: int, touch: int, batches: int) -> tuple[float, float, float, float]:
    """Seconds: to fill, a warm batch (median), the longest warm batch, the first batch after a restart."""
    make: Any = LAYOUTS[layout]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        place = Path(folder) / "checkpoint"
        times = run(session, make("first", entries), place, entries=entries, touch=touch, batches=batches)
        warm = times[-batches:]
        again = run(session, make("second", entries), place, entries=entries, touch=touch, batches=batches + 1)
    return sum(times) - sum(warm), statistics.median(warm[2:]), max(warm[2:]), again[0]


def main() -> None:
    """Measures what the arguments name and prints a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--layouts", nargs="+", choices=LAYOUTS, default=list(LAYOUTS))
    parser.add_argument("--entries", nargs="+", type=int, default=[100_000, 1_000_000])
    parser.add_argument("--touch", type=int, default=10_000, help="entries that a batch touches")
    parser.add_argument("--batches", type=int, default=20, help="warm batches")
    options = parser.parse_args()
    session = build_session("state-layout", config={"spark.sql.shuffle.partitions": str(TASKS)})
    session.dataSource.register(TouchSource)
    print(f"{TASKS} tasks, {options.touch:,} entries touched a batch, {options.batches} warm batches; seconds")
    print(f"{'layout':<10}{'entries':>12}{'fill':>8}{'batch':>8}{'longest':>9}{'restart':>9}")
    for layout in options.layouts:
        for entries in options.entries:
            fill, batch, longest, restart = measure(session, layout, entries, options.touch, options.batches)
            print(f"{layout:<10}{entries:>12,}{fill:>8.1f}{batch:>8.2f}{longest:>9.2f}{restart:>9.2f}", flush=True)
    session.stop()


if __name__ == "__main__":
    from benchmarks.state_layout import main as run_main  # workers must find these classes in a module

    run_main()
