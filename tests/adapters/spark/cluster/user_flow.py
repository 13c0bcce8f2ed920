"""A flow of a user from Kafka to Kafka: its modules, its drivers, and its topics."""

import json
import os
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from eddyline.adapters.kafka.event_log import KafkaEventLog
from eddyline.adapters.kafka.event_sink import Guarantee, KafkaEventSink
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import Topics as KafkaTopics
from eddyline.adapters.services import guard
from eddyline.adapters.spark.driver.java_options import java_options
from eddyline.application.ports.event_log import LogRecord
from eddyline.application.ports.event_sink import SinkRecord
from tests.adapters.kafka.conftest import eventually, read_all, wait_until_settled
from tests.adapters.spark.cluster import guide
from tests.adapters.spark.cluster.flow_modules import holding_at, let_wait, write_modules
from tests.adapters.spark.cluster.one_session import OneSession
from tests.adapters.spark.cluster.spark_events import SparkEvents
from tests.adapters.spark.cluster.standalone import Cluster

ROOT: Final = Path(__file__).parents[4]
PARTITIONS: Final = 3
"""More than the cores of the cluster."""
KEYS: Final = 5
TIMEOUT_S: Final = 600.0
_INTERVAL_S: Final = 0.5
"""Each question to the brokers takes time that the cluster needs."""


class Drivers:
    """Drivers in directories of their own, with a package that was created once."""

    def __init__(self, folder: Path, master: str, servers: str) -> None:
        self.folder, self._master, self._servers = folder, master, servers
        self._commit, self._total = (self._directory(name) / "next" for name in ("commits", "totals"))
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._sessions: list[OneSession] = []
        project = self._directory("project")
        write_modules(project, self._commit, self._total)
        self._witnesses = self._directory("witnesses")
        guide.write_files(project, self._witnesses)
        self._eddyline(project, "package", "flows.tar.gz", "--flows", "cluster_flows", "--flows", "flows").wait(TIMEOUT_S)

    def start(self, name: str, flow: str, *options: str, package: bool = True) -> subprocess.Popen[bytes]:
        """Start a driver in a directory of this name, which has the modules of the flow."""
        directory = self._with_modules(name)
        chosen = {**self._settings(package=package), **self.events(name).settings()}
        words = [word for setting, value in chosen.items() for word in ("--set", f"{setting}={value}")]
        words += ["--set", f"bootstrap.servers={self._servers}", "--set", "trigger.interval.ms=0"]
        words += ["--checkpoint-dir", f"file://{self.folder}/shared", "--log", "kafka", "--create-topics"]
        return self._eddyline(directory, "run", flow, "--flows", "cluster_flows", *words, *options)

    def submit(self, name: str) -> subprocess.Popen[bytes]:
        """Start spark-submit as the guide says, with one executor; files in the directory have what the guide leaves out."""
        directory = self._with_modules(name)
        (directory / guide.PACKAGE).hardlink_to(self._package)
        settings = {
            **self._settings(package=False),
            **self.events(name).settings(),
            "spark.driver.extraJavaOptions": java_options(),
            "spark.cores.max": "1",
        }
        master = settings.pop("spark.master")
        own = {"bootstrap.servers": self._servers, "num.partitions": settings.pop("num.partitions")}
        _write_settings(directory / "eddyline.toml", {**own, "create.topics": "true"})
        (directory / "spark-defaults.conf").write_text("".join(f"{name} {value}\n" for name, value in settings.items()))
        words = guide.submit_command(master, f"file://{self.folder}/shared")
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        environment = {"PATH": path, "SPARK_CONF_DIR": str(directory)}
        return self._run(directory, [str(Path(sys.executable).with_name(words[0])), *words[1:], "--available-now"], environment)

    def modules_of_executors(self, cluster: Cluster) -> set[Path]:
        """Return the files of all modules that executors had when they imported the flow of the guide."""
        found = guide.modules(self._witnesses)
        return {file for directory, files in found if cluster.has_executor_in(directory) for file in files}

    def one_session(self, name: str, settings: Mapping[str, str]) -> OneSession:
        """Start a process for commands in a directory of this name."""
        directory = self._directory(name)
        chosen = {**self._settings(package=True), **settings}
        _write_settings(directory / "eddyline.toml", chosen)
        session = OneSession(directory)
        self._sessions.append(session)
        return session

    def open_transaction(self, topics: "Topics", count: int) -> Path:
        """Write numbers, and let a process wait with results of theirs in an open transaction.

        Returns:
            A file with the number of the process as its name. The process goes on when the file is deleted.
        """
        let_wait(self._commit, 0)
        topics.write(count)
        return holding_at(self._commit, TIMEOUT_S)

    def hold_one_of_next_batch(self, topics: "Topics", count: int) -> int:
        """Write numbers while a batch runs, and let a process wait before it adds one of them.

        Returns:
            The count of the numbers written before.
        """
        before = topics.written
        let_wait(self._total, before)
        topics.write(count)
        return before

    def last_of_stage(self, topics: "Topics", before: int) -> Path:
        """Wait until one process waits with a number of the next batch, and other tasks of its stage have committed their totals.

        Args:
            topics: The topics of the flow.
            before: What `hold_one_of_next_batch` has returned.

        Returns:
            What `open_transaction` returns.
        """
        holding = holding_at(self._total, TIMEOUT_S)
        eventually(lambda: topics.committed_totals() > before, TIMEOUT_S, interval_s=_INTERVAL_S)
        return holding

    def output(self, name: str) -> str:
        """Return what a driver has printed."""
        return (self.folder / f"{name}.log").read_text()

    def events(self, name: str) -> SparkEvents:
        """Return what Spark has done for the drivers in a directory of this name."""
        return SparkEvents(self._directory(name) / "events")

    def is_running(self, name: str) -> bool:
        """Return whether the driver that was last started in a directory of this name runs."""
        return self._processes[name].poll() is None

    def kill(self, name: str) -> None:
        """Kill a driver; its Java process ends when it notices."""
        self._processes[name].kill()
        self._processes[name].wait()

    def kill_all(self) -> None:
        """Kill all drivers."""
        for name in self._processes:
            self.kill(name)
        for session in self._sessions:
            session.kill()

    def _settings(self, *, package: bool) -> dict[str, str]:
        """Return the settings of a run on the cluster."""
        return {
            "spark.master": self._master,
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.executor.memory": "512m",
            "spark.executor.extraJavaOptions": java_options(),
            "num.partitions": str(PARTITIONS),
            **({"package": str(self._package)} if package else {}),
        }

    def _directory(self, name: str) -> Path:
        (self.folder / name).mkdir(exist_ok=True)
        return self.folder / name

    def _with_modules(self, name: str) -> Path:
        directory = self._directory(name)
        for file in (self.folder / "project").glob("*.py"):
            (directory / file.name).write_text(file.read_text())
        return directory

    @property
    def _package(self) -> Path:
        return self.folder / "project" / "flows.tar.gz"

    def _eddyline(self, directory: Path, *words: str) -> subprocess.Popen[bytes]:
        return self._run(directory, [sys.executable, "-m", "eddyline", *words])

    def _run(self, directory: Path, words: Sequence[str], variables: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYSPARK")}
        with (self.folder / f"{directory.name}.log").open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-I", "-S", guard.__file__, str(os.getpid()), *words],
                cwd=directory,
                env={**environment, "PYTHONPATH": str(ROOT), **(variables or {})},
                stdout=log,
                stderr=log,
            )
        self._processes[directory.name] = process
        return process


class Topics:
    """The input of the flow, and its output, which has the total and the count of a key after each of its numbers.

    The names of all of them begin with `prefix`, which is a setting of the flow.
    """

    def __init__(self, settings: KafkaSettings, prefix: str = "") -> None:
        self._settings = settings
        self._numbers, self._totals, self._counts = (f"{prefix}{name}" for name in ("numbers", "totals", "counts"))
        self._log = KafkaEventLog(settings, timeout_s=120)
        self._given = KafkaEventSink(settings, guarantee=Guarantee.AT_LEAST_ONCE)
        self._given.create_topic(self._numbers, PARTITIONS)
        self.written = 0
        self.expected: dict[bytes | None, list[int]] = defaultdict(list)

    def write(self, count: int) -> None:
        """Write numbers, each with one of few keys, and note the totals that they make."""
        records = []
        for number in range(self.written, self.written + count):
            key = f"key-{number % KEYS}".encode()
            self.expected[key].append((self.expected[key] or [0])[-1] + number)
            records.append(SinkRecord(self._numbers, key, str(number).encode(), number))
        self._given.write("given", 0, 0, records)
        self.written += count

    def grow(self, partitions: int) -> None:
        """Add partitions to the input until there are this many; the client writes to them when it has learned of them."""
        KafkaTopics(self._settings).ensure_partitions(self._numbers, partitions)
        self._given.close()
        self._given = KafkaEventSink(self._settings, guarantee=Guarantee.AT_LEAST_ONCE)

    def wait_until_processed(self, drivers: Drivers, name: str) -> None:
        """Wait until there are as many committed totals as numbers, while the driver of this name runs."""

        def processed() -> bool:
            assert drivers.is_running(name), drivers.output(name)
            if self._totals not in self._log.topics():
                return False
            ends = sum(self._log.end_offset(self._totals, number) for number in range(PARTITIONS))
            return ends >= self.written and self.committed_totals() >= self.written

        eventually(processed, TIMEOUT_S, interval_s=_INTERVAL_S)

    def committed_totals(self) -> int:
        """Return the count of the committed totals."""
        return len(self._records(self._totals))

    def totals(self) -> dict[bytes | None, list[int]]:
        """Return all committed totals of each key, in order."""
        return self._results(self._totals)

    def counts(self) -> dict[bytes | None, list[int]]:
        """Return all committed counts of each key, sorted."""
        return {key: sorted(found) for key, found in self._results(self._counts).items()}

    def expected_counts(self) -> dict[bytes | None, list[int]]:
        """Return the counts of each key, sorted: each partition of the input is counted by a task of its own."""
        counts: dict[bytes | None, list[int]] = defaultdict(list)
        for number in range(self._log.partitions(self._numbers)):
            for key, count in Counter(record.key for record in read_all(self._log, self._numbers, number)).items():
                counts[key] += range(1, count + 1)
        return {key: sorted(found) for key, found in counts.items()}

    def _results(self, topic: str) -> dict[bytes | None, list[int]]:
        wait_until_settled(self._settings, topic)
        found = defaultdict(list)
        for record in self._records(topic):
            found[record.key].append(json.loads(record.value or b""))
        return found

    def _records(self, topic: str) -> list[LogRecord]:
        return [record for number in range(PARTITIONS) for record in read_all(self._log, topic, number)]


def _write_settings(file: Path, settings: Mapping[str, str]) -> None:
    file.write_text("".join(f"{json.dumps(name)} = {json.dumps(value)}\n" for name, value in settings.items()))
