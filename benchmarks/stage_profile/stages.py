"""The stages of a record's way, and which of them a stack of py-spy belongs to."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

OTHER: Final = "other Python"
CLIENT: Final = "threads of librdkafka"
_JAVA_OTHER: Final = "Java: other"


class Rule(NamedTuple):
    """A frame belongs to a stage if its file begins with one of some paths and its function contains a text."""

    stage: str
    paths: tuple[str, ...]
    function: str = ""


RULES: Final = (
    Rule("garbage collection", ("lib",), "gc_collect"),
    Rule("fold (functions of the user)", ("eddyline/domain/", "benchmarks/suite/topologies.py")),
    Rule("decode", ("eddyline/adapters/json/",), "decode"),
    Rule("decode", ("eddyline/adapters/json/compiled.py", "eddyline/adapters/json/column_decoder.py")),
    Rule("encode", ("eddyline/adapters/json/column_encoder.py", "eddyline/adapters/json/lines.py")),
    Rule("encode", ("eddyline/adapters/json/", "eddyline/adapters/codecs/"), "encode"),
    Rule("decode", ("eddyline/application/runtime/input/decoding.py", "eddyline/application/runtime/input/batch_decoding.py")),
    Rule("encode", ("eddyline/application/runtime/plan/encoding.py", "eddyline/application/runtime/output/record_collector.py")),
    Rule("fetch", ("eddyline/adapters/kafka/log/", "eddyline/adapters/kafka/event_log.py", "eddyline/adapters/kafka/records.py")),
    Rule("fetch", ("eddyline/application/ports/log_columns.py", "eddyline/application/runtime/input/range_reader.py")),
    Rule("sink", ("eddyline/adapters/kafka/sink/", "eddyline/adapters/kafka/clients/", "eddyline/adapters/kafka/event_sink.py")),
    Rule("sink", ("eddyline/adapters/spark/worker/results.py", "eddyline/adapters/kafka/groups/")),
    Rule("repartition and merge", ("eddyline/application/runtime/plan/partition", "eddyline/application/runtime/task/queues.py")),
    Rule(
        "repartition and merge",
        ("eddyline/application/runtime/input/partition", "eddyline/application/runtime/input/record_q"),
    ),
    Rule("state saved", ("eddyline/adapters/spark/state/", "eddyline/application/runtime/progress/store_")),
    Rule("frames between Spark and Python", ("eddyline/adapters/spark/exchange/", "eddyline/adapters/spark/source/")),
    Rule("driver", ("eddyline/adapters/spark/driver/", "eddyline/adapters/spark/engine.py")),
    Rule("driver", ("py4j/", "pyspark/sql/streaming/query.py")),
    Rule("task (operators and stores)", ("eddyline/application/", "eddyline/adapters/memory/", "eddyline/adapters/rocksdb/")),
    Rule("frames between Spark and Python", ("eddyline/adapters/spark/worker/", "pyspark/", "pandas/", "pyarrow/")),
    Rule("frames between Spark and Python", ("multiprocessing/",)),
)
"""The first rule that fits the innermost frame that any rule fits."""

_THREADS_OF_JAVA: Final = (
    ("Executor task", "Java: threads of Spark's tasks"),
    ("stdout writer", "Java: rows to Python"),
    ("stateConnection", "Java: state for Python"),
    ("stream execution", "Java: planning of batches"),
    ("Thread-", "Java: calls from and to Python"),
    ("GC Thread", "Java: garbage collection"),
    ("G1 ", "Java: garbage collection"),
    ("VM Thread", "Java: garbage collection"),
    ("C1 CompilerThre", "Java: compilers"),
    ("C2 CompilerThre", "Java: compilers"),
)
"""The beginnings of the names of threads, of which the system keeps 15 characters."""

ORDER: Final = tuple(
    dict.fromkeys(
        (
            "fetch",
            CLIENT,
            "decode",
            "repartition and merge",
            "task (operators and stores)",
            "fold (functions of the user)",
            "encode",
            "sink",
            "state saved",
            "frames between Spark and Python",
            "garbage collection",
            "driver",
            OTHER,
            *(stage for _, stage in _THREADS_OF_JAVA),
            _JAVA_OTHER,
        )
    )
)
"""The stages in the order of the table."""

_WAITING: Final = frozenset(
    ("read", "recv", "recvfrom", "accept4", "poll", "ppoll", "select", "epoll_wait", "clock_nanosleep", "wait4", "sem_clockwait")
)
"""System calls in which a thread waits; py-spy samples some threads just before it sees that they are idle."""

_FRAME: Final = re.compile(r"(?P<function>.*) \((?P<path>[^()]*?)(:\d+)?\)$")


class Sample(NamedTuple):
    """How often a thread was seen in a stack; the frames are from the outermost to the innermost."""

    thread: int
    frames: tuple[str, ...]
    times: int


def samples_in(lines: Iterable[str]) -> Iterator[Sample]:
    """Yield the samples in the raw output of py-spy with threads, without those of threads that wait."""
    for line in lines:
        stack, _, count = line.rstrip("\n").rpartition(" ")
        frames = stack.split(";")
        starts = [number for number, frame in enumerate(frames) if frame.startswith("thread (")]
        if not starts:
            continue
        thread = int(frames[starts[-1]].removeprefix("thread (").partition(")")[0])
        found = tuple(frames[starts[-1] + 1 :])
        if found and found[-1].partition(" (")[0].lstrip("_") not in _WAITING:
            yield Sample(thread, found, int(count))


def stage_of(frames: Sequence[str]) -> str:
    """Return the stage of a stack: that of the innermost frame that a rule fits."""
    for frame in reversed(frames):
        if found := _FRAME.match(frame):
            for stage, paths, function in RULES:
                if found["path"].startswith(paths) and function in found["function"]:
                    return stage
    return OTHER


def stage_of_thread(name: str, *, java: bool) -> str:
    """Return the stage of a thread of which there are no samples."""
    if java:
        return next((stage for start, stage in _THREADS_OF_JAVA if name.startswith(start[:15])), _JAVA_OTHER)
    return CLIENT if name.startswith("rdk:") else OTHER
