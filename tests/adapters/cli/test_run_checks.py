"""What keeps a flow from running on Spark is reported without starting Java."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.adapters.cli.conftest import Eddyline
from tests.adapters.cli.test_run_command import LINES, write_lines
from tests.adapters.kafka.test_reachable import says, server

FLOWS = """
import threading
from eddyline import Flow

def uppercase(builder):
    lock = threading.Lock()
    builder.stream("text-lines", key=str, value=str).map_values(lambda line: lock and line.upper(), name="upper").to("upper")

FLOWS = (Flow("uppercase", "Writes lines in capitals.", uppercase),)
"""
HOLDER = """
import fcntl, os, sys
from pathlib import Path
path = Path(sys.argv[1])
file = path.open("w")
file.write(sys.argv[2] if len(sys.argv) > 2 else str(os.getpid()))
file.flush()
fcntl.lockf(file, fcntl.LOCK_EX)
print("locked", flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def no_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every attempt to find or start Java fail."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "no-java"))
    monkeypatch.setattr("eddyline.adapters.services.java.importlib.util.find_spec", lambda _name: None)


@contextmanager
def locked(checkpoint: Path, *owner: str) -> Iterator[int]:
    """Lock a checkpoint in another process; yield its id."""
    checkpoint.mkdir(parents=True)
    command = [sys.executable, "-c", HOLDER, str(checkpoint / "eddyline.lock"), *owner]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "locked\n"
        yield process.pid
        process.kill()


def test_a_checkpoint_that_another_run_uses(eddyline: Eddyline, tmp_path: Path) -> None:
    write_lines(tmp_path / "data", *LINES)
    with locked(tmp_path / "data/state/word-count") as owner:
        outcome = eddyline("run", "word-count", "--available-now")
    assert outcome.code == 1
    assert outcome.err.startswith("error: checkpoint ")
    assert f"is in use by another run, process {owner}; stop that run first" in outcome.err


def test_a_checkpoint_whose_owner_has_ended_is_waited_for(
    eddyline: Eddyline, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("eddyline.adapters.spark.driver.start_checks.LOCK_TIMEOUT_S", 0.5)
    write_lines(tmp_path / "data", *LINES)
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    started = time.monotonic()
    with locked(tmp_path / "data/state/word-count", str(ended.pid)):
        outcome = eddyline("run", "word-count", "--available-now")
    assert "is in use by another run; stop that run first" in outcome.err
    assert time.monotonic() - started >= 0.5


def test_a_checkpoint_of_another_topology(eddyline: Eddyline, tmp_path: Path) -> None:
    write_lines(tmp_path / "data", *LINES)
    folder = tmp_path / "data/state/word-count"
    folder.mkdir(parents=True)
    identity = {"format": 1, "application_id": "other", "writer": "other-1", "groups": 1, "stages": []}
    (folder / "eddyline.json").write_text(json.dumps(identity))
    outcome = eddyline("run", "word-count", "--available-now")
    assert "was created with application id 'other', but this flow has 'word-count'" in outcome.err


def test_no_topics_are_created_with_a_checkpoint_of_another_log(eddyline: Eddyline, tmp_path: Path) -> None:
    folder = tmp_path / "data/state/word-count"
    folder.mkdir(parents=True)
    stages = [["text-lines"], ["word-count-store-repartition"]]
    log = {"kind": "kafka", "cluster": "c1", "topics": {"text-lines": "t1"}}
    identity = {"format": 1, "application_id": "word-count", "writer": "w-1", "groups": 1, "stages": stages, "log": log}
    (folder / "eddyline.json").write_text(json.dumps(identity))
    outcome = eddyline("run", "word-count", "--available-now", "--create-topics")
    assert outcome.code == 1
    assert "belong to 'kafka', cluster 'c1', but the event log is now 'files'" in outcome.err
    assert not list((tmp_path / "data").glob("topics/*"))


def test_an_operator_that_cannot_be_pickled_is_named(eddyline: Eddyline, tmp_path: Path) -> None:
    (tmp_path / "unpicklable_flows.py").write_text(FLOWS)
    write_lines(tmp_path / "data", *LINES)
    outcome = eddyline("run", "uppercase", "--flows", "unpicklable_flows", "--available-now")
    assert outcome.code == 1
    assert outcome.err.startswith(
        "error: operator 'upper' cannot be sent to the workers of Spark: cannot pickle '_thread.lock' object"
    )


def test_a_missing_topic(eddyline: Eddyline) -> None:
    outcome = eddyline("run", "word-count", "--available-now")
    assert outcome.err.startswith("error: topic 'text-lines' is unknown in data/topics")


def test_brokers_that_are_not_there(eddyline: Eddyline) -> None:
    outcome = eddyline("run", "word-count", "--log", "kafka", "--bootstrap-servers", "127.0.0.1:1")
    assert outcome.code == 1
    assert outcome.err == (
        "error: could not connect to Kafka at '127.0.0.1:1' (setting bootstrap.servers): connection refused; "
        "check the addresses, and that the brokers are running\n"
    )


@pytest.mark.parametrize(
    "words",
    [
        ["run", "word-count", "--engine", "spark"],
        ["run", "word-count", "--engine", "memory"],
        ["consume", "text-lines"],
        ["produce", "text-lines"],
        ["groups", "list"],
        ["simulate", "log-triage"],
        ["reset", "word-count", "--execute"],
        ["dead-letters", "list", "word-count"],
    ],
)
def test_a_server_that_is_no_broker_is_one_line_within_seconds(words: list[str], eddyline: Eddyline) -> None:
    started = time.monotonic()
    with server(says(b"HTTP/1.1 400 Bad Request\r\n\r\n")) as port:
        log = [] if words[0] == "groups" else ["--log", "kafka"]
        outcome = eddyline(*words, *log, "--bootstrap-servers", f"127.0.0.1:{port}")
    assert time.monotonic() - started < 40, "the clients of Kafka wait for a minute"
    assert outcome.code == 1
    assert outcome.err == (
        f"error: could not connect to Kafka at '127.0.0.1:{port}' (setting bootstrap.servers): an HTTP server answered, "
        "not a Kafka broker; check the addresses, and that the brokers are running\n"
    )


def test_a_server_that_accepts_connections_and_says_nothing(eddyline: Eddyline) -> None:
    with server(None) as port:
        outcome = eddyline("consume", "lines", "--bootstrap-servers", f"127.0.0.1:{port}")
    assert outcome.code == 1
    assert outcome.err == (
        f"error: could not connect to Kafka at '127.0.0.1:{port}' (setting bootstrap.servers): the server accepts connections, "
        "but does not answer within 5 s; check the addresses, and that the brokers are running\n"
    )


def test_a_schema_registry_that_is_not_there(eddyline: Eddyline, tmp_path: Path) -> None:
    write_lines(tmp_path / "data", *LINES)
    codec = ["--set", "default.value.codec=avro", "--schema-registry", "http://127.0.0.1:1"]
    retries = ["--set", "schema.registry.max.retries=0"]
    outcome = eddyline("run", "word-count", "--available-now", *codec, *retries)
    assert outcome.code == 1
    assert "schema registry" in outcome.err
    assert "Java" not in outcome.err


def test_java_is_looked_for_when_everything_else_is_in_order(eddyline: Eddyline, tmp_path: Path) -> None:
    write_lines(tmp_path / "data", *LINES)
    outcome = eddyline("run", "word-count", "--available-now")
    assert outcome.err.startswith("error: Spark cannot start: it needs a Java runtime of version 17 or newer")


def test_the_traceback_of_an_error_is_printed_wherever_the_option_is(eddyline: Eddyline) -> None:
    for words in (("--traceback", "run", "nope"), ("run", "nope", "--traceback"), ("run", "--traceback", "nope")):
        outcome = eddyline(*words)
        lines = outcome.err.splitlines()
        assert (outcome.code, lines[0], lines[-1][:27]) == (
            2,
            "Traceback (most recent call last):",
            "error: unknown flow 'nope';",
        )


def test_an_unknown_store_in_the_setting_changelog_stores_is_an_invalid_argument(eddyline: Eddyline) -> None:
    outcome = eddyline("run", "word-count", "--engine", "memory", "--available-now", "--set", "changelog.stores=nope")
    assert (outcome.code, outcome.err.count("\n")) == (2, 1)
    assert "changelog.stores: store 'nope' is unknown; choose one of: all, none, word-count-store" in outcome.err
