"""A standalone cluster of Spark on loopback, whose executors see neither this checkout nor the environment of this process."""

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pyspark

from eddyline.adapters.services import guard
from eddyline.adapters.spark.driver.java_options import java_options

SPARK: Final = Path(pyspark.__file__).parent
_URL: Final = re.compile(r"Starting Spark master at (spark://\S+)")
_REGISTERED: Final = "Successfully registered with master"
_LOCAL: Final = "local"
"""Where the executors of a worker keep the rows that they pass on."""
_EXECUTOR: Final = b"CoarseGrainedExecutorBackend"
_START_S: Final = 120.0


class Cluster:
    """A master and its workers, each with one core and a working directory in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        programs = folder / "bin"
        programs.mkdir(parents=True)
        interpreter = Path(sys.base_prefix) / "bin" / f"python{sys.version_info.major}.{sys.version_info.minor}"
        (programs / interpreter.name).symlink_to(interpreter)
        java = Path(os.environ["JAVA_HOME"], "bin", "java") if "JAVA_HOME" in os.environ else shutil.which("java")
        self._java = str(java)
        self._environment = {
            "PATH": f"{programs}:/usr/bin:/bin",
            "HOME": str(folder),
            "SPARK_HOME": str(SPARK),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_SCALA_VERSION": "2.13",
            **({"JAVA_HOME": os.environ["JAVA_HOME"]} if "JAVA_HOME" in os.environ else {}),
        }
        self.url = ""

    def start(self, workers: int) -> None:
        """Start the master and the workers, and return when they know each other."""
        self._start("master", "org.apache.spark.deploy.master.Master", "--port", "0")
        found = self._wait_for("master", _URL.search)
        self.url = found[1]
        for number in range(workers):
            self.start_worker(number)
        for number in range(workers):
            self._wait_for(f"worker-{number}", lambda text: re.search(_REGISTERED, text))

    def start_worker(self, number: int) -> None:
        """Start a worker, and return at once."""
        own = ["--cores", "1", "--memory", "600m", "--work-dir", str(self._folder / f"worker-{number}"), self.url]
        self._start(f"worker-{number}", "org.apache.spark.deploy.worker.Worker", *own)

    def kill_executors(self, number: int) -> int:
        """Kill the executors of a worker, and return how many there were."""
        executors = self._executors(self._processes[f"worker-{number}"].pid)
        for executor in executors:
            _kill_process(executor)
        return len(executors)

    def kill_worker(self, number: int) -> None:
        """Kill a worker with its executors and delete their files, as if its machine had failed."""
        self._lose(f"worker-{number}")

    def kill_worker_of(self, process: int) -> None:
        """Kill the worker with the executor to which a Python process belongs, as `kill_worker` does."""
        worker = _parent(_executor_of(process))
        (name,) = (name for name, started in self._processes.items() if started.pid == worker)
        self._lose(name)

    def stop(self) -> None:
        """Kill all processes of the cluster."""
        for name in self._processes:
            self._kill(name)

    def has_executor_in(self, directory: Path) -> bool:
        """Return whether the processes in a working directory belong to an executor."""
        return any(directory.is_relative_to(folder) for folder in self._folder.glob("worker-*"))

    def output(self) -> str:
        """Return the end of what executors have written."""
        return "\n".join(
            f"{path}:\n{path.read_text(errors='replace')[-3_000:]}" for path in self._folder.glob("worker-*/*/*/stderr")
        )

    def _start(self, name: str, class_name: str, *arguments: str) -> None:
        (self._folder / name).mkdir(exist_ok=True)
        words = [sys.executable, "-I", "-S", guard.__file__, str(os.getpid())]  # else they would outlive a killed test
        words += [self._java, "-Xmx200m", *shlex.split(java_options()), "-cp", _class_path(), class_name]
        words += ["--host", "127.0.0.1", "--webui-port", "0", *arguments]
        with (self._folder / f"{name}.log").open("wb") as log:
            environment = {**self._environment, "SPARK_LOCAL_DIRS": str(self._folder / name / _LOCAL)}
            self._processes[name] = subprocess.Popen(
                words, cwd=self._folder / name, env=environment, stdout=log, stderr=log, start_new_session=True
            )

    def _wait_for(self, name: str, search: Callable[[str], re.Match[str] | None]) -> re.Match[str]:
        deadline = time.monotonic() + _START_S
        while True:
            text = (self._folder / f"{name}.log").read_text(errors="replace")
            found = search(text)
            if found is not None:
                return found
            assert self._processes[name].poll() is None, text[-3_000:]
            assert time.monotonic() < deadline, text[-3_000:]
            time.sleep(0.05)

    def _lose(self, name: str) -> None:
        self._kill(name)
        shutil.rmtree(self._folder / name / _LOCAL, ignore_errors=True)  # a worker without executors has none

    def _kill(self, name: str) -> None:
        process = self._processes[name]
        for number in (process.pid, *self._executors(process.pid)):
            _kill_process(number)
        process.wait()

    @staticmethod
    def _executors(worker: int) -> list[int]:
        return [child for child in _children(worker) if _EXECUTOR in _command(child)]


def _class_path() -> str:
    """Return the class path in the order of Spark's scripts, without which Java does not use the archive of its classes."""
    (first,) = (SPARK / "jars").glob("slf4j-api-*.jar")
    return f"{SPARK}/conf:{first}:{SPARK}/jars/*"


def kill_executor_of(process: int) -> None:
    """Kill the executor to which a Python process belongs."""
    _kill_process(_executor_of(process))


def _executor_of(process: int) -> int:
    while _EXECUTOR not in _command(process):
        process = _parent(process)
        assert process > 1, "the process belongs to no executor"
    return process


def _kill_process(process: int) -> None:
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        return


def _children(process: int) -> list[int]:
    numbers = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]
    return [number for number in numbers if _parent(number) == process]


def _parent(process: int) -> int:
    try:
        return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return 0


def _command(process: int) -> bytes:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""
