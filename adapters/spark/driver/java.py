"""The Java process of the driver: starts it, or finds the one that spark-submit has started."""

import os
import re
import shlex
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from py4j.java_gateway import JavaObject
from py4j.protocol import Py4JError
from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkRuntimeError
from pyspark.java_gateway import ensure_callback_server_started, launch_gateway

from eddyline.adapters.spark.driver.session_settings import java_settings
from eddyline.adapters.spark.failures import EngineError

_START_ERRORS: Final = (PySparkRuntimeError, FileNotFoundError)
_NEEDED: Final = "Spark needs Java 17 or newer, in PATH or JAVA_HOME"
_EXCEPTION: Final = re.compile(r"(?:Exception in thread \S+ )?[\w.$]+(?:Exception|Error): (?P<message>.+)")
_NO_JVM: Final = "Error: Could not create the Java Virtual Machine."
_STARTUP: Final = str(Path(__file__).parents[1] / "process" / "startup")
_STARTING: Final = threading.Lock()
_SHELL_SETTINGS: Final = frozenset({"spark.ui.showConsoleProgress", "spark.app.name"})
"""What Spark chooses for its shells, as which it starts Java."""
_SUBMIT_ARGUMENTS: Final = "PYSPARK_SUBMIT_ARGS"
_IN_NAMES: Final = re.compile(r"[\\:=#! ]")
_IN_VALUES: Final = re.compile(r"\\|^ ")


def is_submitted() -> bool:
    """Return whether spark-submit has started this process."""
    return "PYSPARK_GATEWAY_PORT" in os.environ


def start_java(given: Mapping[str, str], log_file: Path | None = None) -> Any:
    """Return the gateway to the Java process of the driver; start Java if it does not run.

    Args:
        given: The settings of the user.
        log_file: Receives the output of Java, if this starts it.

    Raises:
        EngineError: Java cannot be started, or a setting of Spark is invalid.
    """
    with _STARTING:
        if SparkContext._gateway is None:  # noqa: SLF001 - the only way to know without starting one
            with _settings_file(java_settings(given)) as file, _environment(**_variables(), **_arguments(file)):
                gateway = _launched(log_file)
            _authenticate_callbacks(gateway)
            SparkContext._ensure_initialized(gateway=gateway)  # noqa: SLF001 - otherwise Spark starts Java itself
    return SparkContext._gateway  # noqa: SLF001


def settings_found(gateway: Any, given: Mapping[str, str]) -> dict[str, str]:
    """Return the settings that Java has besides those that it was started with: from spark-defaults.conf or spark-submit."""
    found = dict(SparkConf(_jvm=gateway.jvm).getAll())
    if is_submitted():
        return found
    own = java_settings(given).keys() | _SHELL_SETTINGS
    return {name: value for name, value in found.items() if name not in own}


@contextmanager
def _environment(**names: str) -> Iterator[None]:
    """Set environment variables for the processes that are started in the block."""
    before = {name: os.environ.get(name) for name in names}
    os.environ.update(names)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _variables() -> dict[str, str]:
    """Return the environment of Java, and so of the Python processes that it starts: they see what this process sees."""
    folders = (str(Path(sys.executable).parent), *os.environ.get("PATH", os.defpath).split(os.pathsep))
    return {
        "PATH": os.pathsep.join(dict.fromkeys(folders)),
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        "PYTHONPATH": module_path(),
        "PYTHONSAFEPATH": "1",
    }


def module_path() -> str:
    """Return the module search path of this process, for the environment of another one."""
    return os.pathsep.join(dict.fromkeys(str(Path(entry).absolute()) for entry in (_STARTUP, *sys.path)))


@contextmanager
def python_of_workers(command: str) -> Iterator[None]:
    """Let workers run this Python, by the variable that Spark reads when a session begins."""
    with _environment(PYSPARK_PYTHON=command):
        yield


@contextmanager
def _settings_file(settings: Mapping[str, str]) -> Iterator[Path]:
    """Yield a file of settings for spark-submit, as java.util.Properties reads it.

    As arguments of a command, any user of the machine could read them, and some are secrets.
    """
    lines = [f"{_escaped(name, _IN_NAMES)}={_escaped(value, _IN_VALUES)}\n" for name, value in settings.items()]
    with tempfile.NamedTemporaryFile("w", prefix="eddyline-", suffix=".conf", encoding="utf-8") as file:
        file.writelines(lines)
        file.flush()
        yield Path(file.name)


def _escaped(text: str, special: re.Pattern[str]) -> str:
    found = special.sub(r"\\\g<0>", text)
    return found.replace("\n", "\\n").replace("\r", "\\r")


def _arguments(settings: Path) -> dict[str, str]:
    """Return the environment that has the arguments of spark-submit; the settings are read before spark-defaults.conf."""
    given = os.environ.get(_SUBMIT_ARGUMENTS, "pyspark-shell")
    return {_SUBMIT_ARGUMENTS: f"--properties-file {shlex.quote(str(settings))} --load-spark-defaults {given}"}


def _authenticate_callbacks(gateway: Any) -> None:
    """Let this process execute only commands of its own Java, which sends the token that it expects itself.

    Py4J's Java client can send a token, but Spark creates it without one:
    https://www.py4j.org/advanced_topics.html#tls
    """
    gateway.python_parameters.auth_token = token = gateway.java_parameters.auth_token
    ensure_callback_server_started(gateway)  # type: ignore[no-untyped-call]
    client = JavaObject("GATEWAY_SERVER", gateway._gateway_client).getCallbackClient()  # noqa: SLF001 - Py4J's only name of it
    try:
        field = gateway.jvm.java.lang.Class.forName("py4j.CallbackClient").getDeclaredField("authToken")
        field.setAccessible(True)
        field.set(client, token)
    except Py4JError as error:
        raise EngineError(
            "Py4J's client for callbacks takes no token; install a version of pyspark that Eddyline names"
        ) from error


def _launched(log_file: Path | None) -> Any:
    """Start Java in a process group of its own, so that Ctrl-C for this process does not interrupt a batch."""
    options: dict[str, object] = {"process_group": 0}
    if log_file is None or is_submitted():
        try:
            return launch_gateway(popen_kwargs=options)  # type: ignore[no-untyped-call]
        except _START_ERRORS as error:
            raise EngineError(f"Java could not be started; {_NEEDED}") from error
    log_file.parent.mkdir(0o700, parents=True, exist_ok=True)
    log_file.touch(0o600)
    with log_file.open("ab") as log:
        before = log.tell()
        try:
            return launch_gateway(popen_kwargs={**options, "stdout": log, "stderr": log})  # type: ignore[no-untyped-call]
        except _START_ERRORS as error:
            reason = why_not_started(log_file.read_bytes()[before:].decode(errors="replace"))
            problem = f"Spark could not be started: {reason}" if reason else f"Java could not be started; {_NEEDED}"
            raise EngineError(f"{problem}; its output is in '{log_file}'") from error


def why_not_started(output: str) -> str:
    """Return the reason in the output of Java and of Spark's start script; empty if there is none."""
    before = ""
    for line in output.splitlines():
        if line.startswith(_NO_JVM):
            return before.strip()
        found = _EXCEPTION.match(line)
        if found is not None:
            return found["message"].strip()
        before = line
    return ""
