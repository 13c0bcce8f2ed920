"""The programs of the suite: Eddyline in its modes, and the peers."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeAlias

from benchmarks.peers import environments

Command: TypeAlias = Callable[[str], list[str | Path]]
"""Returns the command that runs a workload."""

_PEERS: Final = environments.HERE


@dataclass(frozen=True)
class Program:
    """A program and its settings.

    Attributes:
        name: Its name in the results.
        command: Returns the command for a workload; it creates the environment of a peer when it is called first.
        settings: Environment variables.
        peer: Whether it is another system.
        part: Its throughput is measured over one in so many of the records, since all of them would take it too long.
    """

    name: str
    command: Command
    settings: Mapping[str, str] = field(default_factory=dict)
    peer: bool = False
    part: int = 1

    def environment(self) -> Mapping[str, str]:
        """Return the environment variables that do not depend on the run."""
        if "JARS" not in self.settings:
            return self.settings
        jars = environments.connectors(self.name.partition(",")[0])
        return {**self.settings, "JARS": ",".join(map(str, jars))}


def eddyline(workload: str) -> list[str | Path]:
    """Return the command that runs a workload on Eddyline."""
    return [sys.executable, "-m", "benchmarks.suite.eddyline_program", workload]


def _spark(workload: str) -> list[str | Path]:
    return [sys.executable, "-m", "benchmarks.peers.spark_program", workload]


def _kafka_streams(workload: str) -> list[str | Path]:
    return ["java", "-Xmx2g", "-cp", environments.kafka_streams(), "peers.Program", workload]


def _flink(workload: str) -> list[str | Path]:
    return [environments.python("flink"), _PEERS / "flink_program.py", workload]


def _quix(workload: str) -> list[str | Path]:
    return [environments.python("quix"), _PEERS / "quix_program.py", workload]


def _bytewax(workload: str) -> list[str | Path]:
    return [environments.python("bytewax"), _PEERS / "bytewax_program.py", workload]


def _hand(workload: str) -> list[str | Path]:
    return [environments.python("hand"), _PEERS / "hand_loop.py", workload]


_EXACTLY_ONCE: Final = "processing.guarantee=exactly_once_v2,commit.interval.ms=1000"
_NO_CACHE: Final = "statestore.cache.max.bytes=0"

_LATEST: Final = Program("eddyline latest", eddyline)
_CACHED: Final = Program("kafka-streams cache, exactly once", _kafka_streams, {"SETTINGS": _EXACTLY_ONCE}, peer=True)
_EDDYLINE: Final = Program("eddyline, exactly once", eddyline)
_KAFKA_STREAMS: Final = Program("kafka-streams, exactly once", _kafka_streams, {"SETTINGS": _EXACTLY_ONCE}, peer=True)
_SPARK: Final = Program("spark", _spark, {"JARS": ""}, peer=True)
_NOT_CACHED: Final = Program(
    "kafka-streams no cache, exactly once", _kafka_streams, {"SETTINGS": f"{_EXACTLY_ONCE},{_NO_CACHE}"}, peer=True
)
_FLINK: Final = Program("flink, exactly once", _flink, {"JARS": "", "GUARANTEE": "exactly-once"}, peer=True)
_HAND: Final = Program("hand-written loop", _hand, peer=True)

THROUGHPUT: Final[Mapping[str, tuple[Program, ...]]] = {
    "stock-stats": (
        _LATEST,
        Program("eddyline latest, general path", eddyline, {"MERGE": "no"}),
        Program("eddyline every update", eddyline, {"EMIT": "every-update"}),
        _CACHED,
        _NOT_CACHED,
        _SPARK,
        Program("flink", _flink, {"JARS": ""}, peer=True),
        _FLINK,
        _HAND,
    ),
    "word-count": (_LATEST, _CACHED, _SPARK),
    "clickstream": (_EDDYLINE, _KAFKA_STREAMS, _SPARK),
    "notifications": (_EDDYLINE, _KAFKA_STREAMS),
}
"""The programs whose throughput is measured, by workload; the first is the one that the ratios are about.

Joins emit every result, whatever `emit` says. Plain PySpark has no join of a stream with a table that changes, unless it is
written by hand as a processor.
"""

GROWTH: Final = (_HAND, _NOT_CACHED, _FLINK)
"""The programs beside which growth by the number of keys is measured: each update is a result."""

LATENCY: Final = (_LATEST, _SPARK)
"""The programs whose latency is measured."""

_LOCAL: Final = {"ENGINE": "local"}
_AT_LEAST_ONCE: Final = {"GUARANTEE": "at_least_once", "COMMIT_MS": "1000"}
_EVERY_UPDATE: Final = {"EMIT": "every-update"}
_LOW_LATENCY: Final = f"{_NO_CACHE},producer.linger.ms=0"

LOCAL: Final = (
    Program("eddyline local every update", eddyline, {**_LOCAL, **_EVERY_UPDATE, **_AT_LEAST_ONCE}),
    Program("eddyline local every update, exactly once", eddyline, {**_LOCAL, **_EVERY_UPDATE}),
    Program("eddyline local latest", eddyline, {**_LOCAL, **_AT_LEAST_ONCE}),
    Program("eddyline local latest, exactly once", eddyline, _LOCAL),
    Program("kafka-streams no cache, linger 0", _kafka_streams, {"SETTINGS": _LOW_LATENCY}, peer=True),
    Program("kafka-streams no cache", _kafka_streams, {"SETTINGS": _NO_CACHE}, peer=True),
    _CACHED,
    Program("quix streams, at least once", _quix, peer=True, part=10),
    Program("bytewax, windows when they close", _bytewax, peer=True),
)
"""The programs beside which the engine in one process is measured: latency, and throughput of stock statistics."""
