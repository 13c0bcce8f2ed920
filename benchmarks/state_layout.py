"""Compares three layouts of a task's state on Spark: run `python benchmarks/state_layout.py`.

The layouts store the same entries in the same tasks: one entry per key in a map state; one entry per bucket of keys; or one
chunk per batch with a copy in the memory of the worker (adapters/spark/state/chunks.py, which the engine uses). Each layout is
filled, then processes batches that update random entries, and is then restarted with workers that have no copy.
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

import pandas as pd  # noqa: E402 - the path must be set first
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
RESULT = StructType([StructField("task", IntegerType()), StructField("updated", LongType())])
KEY, VALUE = StructType([StructField("key", BinaryType())]), StructType([StructField("value", BinaryType())])


def key_bytes(number: int) -> bytes:
    """Return the key of an entry, in the format of a windowed key of a ticker."""
    return b'["TICK%07d",1700000000000]' % number


def updated(value: bytes | None) -> bytes:
    """Return the value of an entry after one more record."""
    count = 0 if value is None else json.loads(value)["count"]
    return json.dumps({"type": "trade", "ticker": "TICK", "count": count + 1, "sum": 12345.678, "min": 101.25}).encode()


class MapLayout(StatefulProcessor):
    """One entry per key in a map state."""

    def __init__(self, run: str, entries: int) -> None:
        del run, entries

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Open the map."""
        self.state = handle.getMapState("entries", KEY, VALUE)

    def handleInputRows(self, key: Any, rows: Any, timerValues: TimerValues) -> Iterator[pd.DataFrame]:  # noqa: N802, N803
        """Read and write each updated entry."""
        del timerValues
        numbers = to_update(rows)
        for number in numbers:
            map_key = (key_bytes(number),)
            found = self.state.getValue(map_key)
            self.state.updateValue(map_key, (updated(found[0] if found else None),))
        yield result(key[0], numbers)

    def close(self) -> None:
        """Do nothing; there are no resources to release."""


class BucketLayout(StatefulProcessor):
    """One blob per bucket of keys: the entries of a bucket are read and written together."""

    def __init__(self, run: str, entries: int) -> None:
        del run
        self.buckets = max(1, entries // TASKS // BUCKET_ENTRIES)

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Open the map of buckets."""
        bucket = StructType([StructField("bucket", IntegerType())])
        self.state = handle.getMapState("buckets", bucket, VALUE)

    def handleInputRows(self, key: Any, rows: Any, timerValues: TimerValues) -> Iterator[pd.DataFrame]:  # noqa: N802, N803
        """Read and write each bucket with an updated entry."""
        del timerValues
        numbers = to_update(rows)
        by_bucket: dict[int, list[bytes]] = {}
        for number in numbers:
            name = key_bytes(number)
            by_bucket.setdefault(zlib.crc32(name) % self.buckets, []).append(name)
        for number, names in by_bucket.items():
            found = self.state.getValue((number,))
            parts = found[0].split(b"\n") if found else []
            bucket = dict(zip(parts[::2], parts[1::2], strict=True))
            for name in names:
                bucket[name] = updated(bucket.get(name))
            self.state.updateValue((number,), (b"\n".join(part for entry in bucket.items() for part in entry),))
        yield result(key[0], numbers)

    def close(self) -> None:
        """Do nothing; there are no resources to release."""


COPIES: dict[tuple[str, int], ChunkedState] = {}


class ChunkLayout(StatefulProcessor):
    """One chunk per batch: the worker keeps a copy of the state and writes what the batch changed."""

    def __init__(self, run: str, entries: int) -> None:
        del entries
        self.run = run

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Open the header and the chunks."""
        self.chunks = SparkChunkStore(handle)

    def handleInputRows(self, key: Any, rows: Any, timerValues: TimerValues) -> Iterator[pd.DataFrame]:  # noqa: N802, N803
        """Bring the copy up to date, change it, and write one chunk."""
        del timerValues
        numbers = to_update(rows)
        copy_key = (self.run, key[0])
        state = COPIES.pop(copy_key, None) or ChunkedState()
        state.catch_up(self.chunks)
        state.commit(self.chunks, [(name, updated(state.get(name))) for name in map(key_bytes, numbers)])
        COPIES[copy_key] = state
        yield result(key[0], numbers)

    def close(self) -> None:
        """Do nothing; there are no resources to release."""


LAYOUTS = {"map": MapLayout, "buckets": BucketLayout, "chunks": ChunkLayout}


def to_update(rows: Iterator[pd.DataFrame]) -> list[int]:
    """Return the numbers of the entries to update."""
    return [number for frame in rows for blob in frame["numbers"] for number in memoryview(blob).cast("q")]


def result(task: int, numbers: list[int]) -> pd.DataFrame:
    """Return the output row of a task."""
    return pd.DataFrame({"task": [task], "updated": [len(numbers)]})


class Range(InputPartition):
    """The batches from `start` to `end`, exclusive."""

    def __init__(self, start: int, end: int) -> None:
        self.start, self.end = start, end


class UpdateReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reads batches, whose numbers are the offsets: the first ones fill the state in order, the others update random entries."""

    def __init__(self, options: dict[str, str]) -> None:
        self.entries, self.updates, self.batches = (int(options[name]) for name in ("entries", "updates", "batches"))
        self.load = max(1, self.entries // LOAD_PER_BATCH)

    def initialOffset(self) -> dict[str, int]:  # noqa: N802
        """Return the offset before the first batch."""
        return {"batch": 0}

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802
        """Limit a read to one batch."""
        return ReadMaxRows(1)

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """Do nothing; the number of batches is fixed."""

    def latestOffset(self, start: dict[str, int], limit: ReadLimit) -> dict[str, int]:  # noqa: N802
        """Return the offset after the next batch, at most the last."""
        del limit
        return {"batch": min(start["batch"] + 1, self.load + self.batches)}

    def partitions(self, start: dict[str, int], end: dict[str, int]) -> list[InputPartition]:
        """Return one partition with all rows."""
        return [Range(start["batch"], end["batch"])] if start != end else []

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Return a row for each task with the numbers of the entries to update."""
        for batch in range(partition.start, partition.end) if isinstance(partition, Range) else ():
            if batch < self.load:
                size = self.entries // self.load
                numbers: Any = range(batch * size, (batch + 1) * size)
            else:
                numbers = random.Random(batch).sample(range(self.entries), self.updates)
            blobs = [
                pa.array([n for n in numbers if n % TASKS == task], pa.int64()).buffers()[1].to_pybytes() for task in range(TASKS)
            ]
            columns = [pa.array(range(TASKS), pa.int32()), pa.array(blobs, pa.binary())]
            yield pa.RecordBatch.from_arrays(columns, ["task", "numbers"])


class UpdateSource(DataSource):
    """The data source of the updates."""

    @classmethod
    def name(cls) -> str:
        """Return the name of the format."""
        return "updates"

    def schema(self) -> StructType:
        """Return the columns: the task and the entries to update."""
        return ROWS

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802
        """Return the reader of the batches."""
        del schema
        return UpdateReader(dict(self.options))


def run(session: SparkSession, processor: StatefulProcessor, checkpoint: Path, **options: int) -> list[float]:
    """Run a query to its end and return the duration of each batch in seconds."""
    rows = session.readStream.format("updates").options(**options).load()
    out = rows.groupBy("task").transformWithStateInPandas(processor, RESULT, "append", "none")

    def collect(frame: DataFrame, _batch: int) -> None:
        frame.collect()

    query = out.writeStream.foreachBatch(collect).option("checkpointLocation", str(checkpoint)).trigger(availableNow=True).start()
    query.awaitTermination()
    return [progress["durationMs"]["triggerExecution"] / 1000 for progress in query.recentProgress if progress["numInputRows"]]


def measure(session: SparkSession, layout: str, entries: int, updates: int, batches: int) -> tuple[float, float, float, float]:
    """Return the seconds to fill the state, of the median and the longest warm batch, and of the first batch after a restart."""
    make: Any = LAYOUTS[layout]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        checkpoint = Path(folder) / "checkpoint"
        times = run(session, make("first", entries), checkpoint, entries=entries, updates=updates, batches=batches)
        warm = times[-batches:]
        restarted = run(session, make("second", entries), checkpoint, entries=entries, updates=updates, batches=batches + 1)
    return sum(times) - sum(warm), statistics.median(warm[2:]), max(warm[2:]), restarted[0]


def main() -> None:
    """Measure the layouts and sizes given by the arguments, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--layouts", nargs="+", choices=LAYOUTS, default=list(LAYOUTS))
    parser.add_argument("--entries", nargs="+", type=int, default=[100_000, 1_000_000])
    parser.add_argument("--touch", type=int, default=10_000, help="entries that a batch updates")
    parser.add_argument("--batches", type=int, default=20, help="warm batches")
    options = parser.parse_args()
    session = build_session("state-layout", config={"spark.sql.shuffle.partitions": str(TASKS)})
    session.dataSource.register(UpdateSource)
    print(f"{TASKS} tasks, {options.touch:,} entries updated per batch, {options.batches} warm batches; seconds")
    print(f"{'layout':<10}{'entries':>12}{'fill':>8}{'batch':>8}{'longest':>9}{'restart':>9}")
    for layout in options.layouts:
        for entries in options.entries:
            fill, batch, longest, restart = measure(session, layout, entries, options.touch, options.batches)
            print(f"{layout:<10}{entries:>12,}{fill:>8.1f}{batch:>8.2f}{longest:>9.2f}{restart:>9.2f}", flush=True)
    session.stop()


if __name__ == "__main__":
    from benchmarks.state_layout import main as run_main  # workers import these classes from a module

    run_main()
