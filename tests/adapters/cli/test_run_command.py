import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from eddyline.adapters.files.event_sink import FileEventSink
from eddyline.adapters.files.journal import BatchId
from tests.adapters.cli.conftest import Eddyline
from tests.fixtures.forks.forked import ForkedCommand

LINES = [
    {"timestamp": 1, "key": None, "value": "to be or"},
    {"timestamp": 2, "key": None, "value": "not to be"},
]
COUNTS = {"to": "2", "be": "2", "or": "1", "not": "1"}


def write_lines(data_dir: Path, *lines: dict[str, Any], more: str = "") -> None:
    folder = data_dir / "topics/text-lines"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "partition-0.jsonl").open("a") as file:
        file.write("".join(json.dumps(line) + "\n" for line in lines) + more)


def written(data_dir: Path, topic: str) -> list[dict[str, Any]]:
    files = sorted((data_dir / "topics" / topic).glob("*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def counts(data_dir: Path) -> dict[str, str]:
    return {record["key"]: str(record["value"]) for record in written(data_dir, "word-counts")}


def test_a_flow_runs_in_memory_from_files_to_files(eddyline: Eddyline, tmp_path: Path) -> None:
    write_lines(tmp_path / "data", *LINES, more="garbage\n")
    outcome = eddyline("run", "word-count", "--engine", "memory", "--available-now")
    assert outcome.code == 0
    assert counts(tmp_path / "data") == COUNTS
    assert "word-count: 2 records in 1 batch, " in outcome.err
    assert "written to 'word-counts': 6" in outcome.err
    assert "dropped by 'text-lines' (undecodable): 1" in outcome.err
    assert "dead letters in 'word-count-dead-letters': 1" in outcome.err


ALERTS = """
from eddyline import Flow, TopologyBuilder

def alerts(builder: TopologyBuilder, *, limit: int = 2) -> None:
    counts = builder.stream("views", key=str, value=int).group_by_key().count(store="views-per-user")
    counts.to_stream().filter(lambda _user, count: count == limit + 1, name="above-limit").to("alerts")

FLOWS = (Flow("many-logins", "Reports each user once, above a limit.", alerts),)
"""


def run_alerts(eddyline: Eddyline, tmp_path: Path, *words: str) -> str:
    (tmp_path / "alert_flows.py").write_text(ALERTS)
    views = tmp_path / "data/topics/views"
    views.mkdir(parents=True)
    with (views / "partition-0.jsonl").open("w") as file:
        file.writelines(json.dumps({"timestamp": n, "key": f"user-{n % 25}", "value": n}) + "\n" for n in range(125))
    words = ("--available-now", "--data-dir", str(tmp_path / "data"), *words)
    outcome = eddyline("run", "many-logins", "--flows", "alert_flows", *words)
    assert outcome.code == 0
    return outcome.err


@pytest.mark.parametrize("engine", ["memory", "local", pytest.param("spark", marks=[pytest.mark.spark, pytest.mark.slow])])
def test_by_default_an_operator_sees_every_update_of_a_table(eddyline: Eddyline, tmp_path: Path, engine: str) -> None:
    assert "warning" not in run_alerts(eddyline, tmp_path, "--engine", engine)
    assert sorted(record["key"] for record in written(tmp_path / "data", "alerts")) == sorted(f"user-{n}" for n in range(25))


def test_a_run_that_forwards_only_the_latest_updates_warns_of_operators_that_need_every_one(
    eddyline: Eddyline, tmp_path: Path
) -> None:
    errors = run_alerts(eddyline, tmp_path, "--engine", "memory", "--emit", "latest")
    assert (
        "warning: 'above-limit' receives only the latest update per key and batch of table 'views-per-user-count'; if it must "
        "not miss one, define the table with caching=False or run with emit=every-update"
    ) in " ".join(errors.split())
    assert written(tmp_path / "data", "alerts") == []


def test_settings_of_flow_and_run_come_from_flags_and_assignments(eddyline: Eddyline, tmp_path: Path) -> None:
    write_lines(tmp_path / "elsewhere", *LINES)
    words = ["--engine", "memory", "--available-now", "--data-dir", "elsewhere", "--emit", "every-update"]
    outcome = eddyline("run", "word-count", *words, "--set", "stop_words=or,not", "--set", "num.partitions=2")
    assert outcome.code == 0
    assert sorted((record["key"], record["value"]) for record in written(tmp_path / "elsewhere", "word-counts")) == [
        ("be", 1),
        ("be", 2),
        ("to", 1),
        ("to", 2),
    ]
    assert len(list((tmp_path / "elsewhere/topics/word-counts").glob("*.jsonl"))) == 2


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ([], 1, "error: topic 'text-lines' is unknown in data/topics, which has: no topics"),
        (["--engine", "flink"], 2, "error: invalid value 'flink' for '--engine': choose one of: 'spark', 'local', 'memory'"),
        (["--set", "emit=all"], 2, "error: invalid value 'all' for setting 'emit' (from the command line)"),
        (
            ["--set", "bootstrap.servres=x"],
            2,
            "error: unknown setting 'bootstrap.servres' (from the command line); did you mean 'bootstrap.servers'?",
        ),
        (["--application-id", "a b"], 2, "error: invalid value 'a b' for setting 'application.id' (from the command line)"),
    ],
)
def test_a_run_that_cannot_start_is_one_line(eddyline: Eddyline, words: list[str], code: int, message: str) -> None:
    outcome = eddyline("run", "word-count", "--available-now", *(words or ["--engine", "memory"]))
    assert outcome.code == code
    assert message in outcome.err
    assert outcome.err.rstrip().count("\n") == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_a_continuous_run(tmp_path: Path, number: signal.Signals) -> None:
    write_lines(tmp_path / "data", *LINES)
    words = ["run", "word-count", "--engine", "memory", "--set", "trigger.interval.ms=10"]
    program = "from eddyline.adapters.cli.main import main; main()"
    with subprocess.Popen([sys.executable, "-c", program, *words], cwd=tmp_path, stderr=subprocess.PIPE, text=True) as running:
        try:
            assert running.stderr is not None
            first = json.loads(running.stderr.readline())
            assert (first["event"], first["records"], first["written"]) == ("batch", 2, 6)
            running.send_signal(number)
            assert running.wait(120) == 0
            assert json.loads(running.stderr.read())["records"] == 2
        finally:
            running.kill()


def test_without_java_spark_is_an_error_with_the_fix(eddyline: Eddyline, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_lines(tmp_path / "data", *LINES)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setattr("eddyline.adapters.services.java.importlib.util.find_spec", lambda _name: None)
    outcome = eddyline("run", "word-count", "--available-now")
    assert outcome.code == 1
    assert outcome.err.startswith("error: Spark cannot start: it needs a Java runtime of version 17 or newer")
    assert "openjdk-17-jre-headless" in outcome.err


def run_on_spark(folder: Path, *words: str) -> tuple[int, str]:
    """Run the flow to its end; return the exit code and what is on standard error."""
    with ForkedCommand(["run", "word-count", "--available-now", *words], cwd=folder, stderr=subprocess.PIPE) as running:
        assert running.stderr is not None
        errors = running.stderr.read()
        return running.wait(), errors


@pytest.mark.spark
def test_a_flow_runs_on_spark_and_continues_where_it_stopped(tmp_path: Path) -> None:
    write_lines(tmp_path / "data", *LINES)
    code, errors = run_on_spark(tmp_path)
    assert code == 0, errors
    assert "word-count: 2 records" in errors
    assert len(errors.splitlines()) == 3, "the output of Spark is in a file"
    assert counts(tmp_path / "data") == COUNTS
    write_lines(tmp_path / "data", {"timestamp": 3, "key": None, "value": "be"})
    code, errors = run_on_spark(tmp_path)
    assert code == 0, errors
    assert "word-count: 1 record " in errors
    assert counts(tmp_path / "data") == COUNTS | {"be": "3"}
    assert [path.relative_to(tmp_path / "data/state") for path in (tmp_path / "data/state").rglob("*spark.log")] == [
        Path("word-count/spark.log")
    ]


@pytest.mark.spark
@pytest.mark.parametrize(
    ("setting", "reason"),
    [
        ("spark.driver.memory=2x", "Invalid maximum heap size: -Xmx2x"),
        ("spark.driver.port=nope", "The value 'nope' in the config"),
    ],
)
def test_a_setting_that_spark_refuses_is_one_line_with_the_reason(tmp_path: Path, setting: str, reason: str) -> None:
    write_lines(tmp_path / "data", *LINES)
    code, errors = run_on_spark(tmp_path, "--set", setting)
    assert code == 1
    last = errors.splitlines()[-1]
    assert last.startswith("error: Spark could not be started: ")
    assert reason in last


PRINTING = """
import logging
from eddyline import Flow

def seen(key, value):
    print(f"seen: {value}")
    logging.getLogger("copies").warning("%s:\x1b[2J %s", key, value)

def longest(length, value):
    logging.getLogger("lengths").warning(value)
    return max(length, len(value))

def printing(builder):
    lines = builder.stream("text-lines", key=str, value=str).peek(seen)
    lines.to("copies")
    by_length = lines.select_key(lambda key, value: len(value), key=int).group_by_key()
    by_length.aggregate(lambda: 0, longest, value=int, store="lengths")

FLOWS = (Flow("printing", "Prints and copies lines.", printing),)
"""


def _next_batch(events: Iterator[Any], others: list[Any]) -> Any:
    """Return the next line about a batch; add the lines before it to `others`."""
    for event in events:
        if event["event"] == "batch":
            return event
        others.append(event)
    raise AssertionError(others)


@pytest.mark.spark
@pytest.mark.slow
def test_a_run_on_spark_shows_true_figures_warnings_of_workers_and_where_functions_print(tmp_path: Path) -> None:
    (tmp_path / "printing.py").write_text(PRINTING)
    write_lines(tmp_path / "data", *LINES)
    words = ["run", "printing", "--flows", "printing", "--set", "trigger.interval.ms=100"]
    with ForkedCommand(words, cwd=tmp_path, stderr=subprocess.PIPE) as running:
        assert running.stderr is not None
        events = map(json.loads, running.stderr)
        printing = next(events)
        warnings: list[Any] = []
        first = _next_batch(events, warnings)
        write_lines(tmp_path / "data", {"timestamp": 3, "key": None, "value": "be"})
        second = _next_batch(events, warnings)
        running.send_signal(signal.SIGINT)
        *rest, last = events
        assert running.wait(120) == 0
    assert [(batch["records"], batch["written"]) for batch in (first, second)] == [(2, 2), (1, 1)]
    assert [event for event in rest if event["event"] == "batch"] == [], "batches without records are not shown"
    assert last["records"] == 3
    warnings += rest
    names = ("logger", "batch", "event", "level", "application_id", "flow")
    assert sorted(tuple(warning[name] for name in names) for warning in warnings) == sorted(
        (logger, batch["batch"], f"{before}{line}", "warning", "printing", "printing")
        for line, batch in (("to be or", first), ("not to be", first), ("be", second))
        for logger, before in (("copies", "None:\\u001b[2J "), ("lengths", ""))
    )
    assert printing["event"] == "what peek, for_each and processors print"
    printed = (tmp_path / printing["file"]).read_text()
    assert re.findall("seen: (to be or|not to be|be)", printed) == ["to be or", "not to be", "be"], "each line is printed once"


def test_a_run_in_memory_logs_each_batch_with_its_own_figures(tmp_path: Path) -> None:
    write_lines(tmp_path / "data", *LINES)
    words = ["run", "word-count", "--engine", "memory", "--set", "trigger.interval.ms=10"]
    with ForkedCommand(words, cwd=tmp_path, stderr=subprocess.PIPE) as running:
        assert running.stderr is not None
        batches = [json.loads(running.stderr.readline())]
        write_lines(tmp_path / "data", {"timestamp": 3, "key": None, "value": "be be"})
        batches.append(json.loads(running.stderr.readline()))
        running.send_signal(signal.SIGINT)
        assert running.wait(120) == 0
    assert [(batch["batch"], batch["records"], batch["written"]) for batch in batches] == [(0, 2, 6), (1, 1, 2)]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--engine", "local", "--master", "local[2]"), "'spark.master' has no effect on engine 'local', only on engine 'spark'"),
        (("--engine", "memory", "--package", "a.zip"), "'package' has no effect on engine 'memory', only on engine 'spark'"),
        (("--engine", "local", "--set", "spark.executor.memory=1g"), "'spark.executor.memory' has no effect on engine 'local'"),
        (("--engine", "memory", "--set", "commit.interval.ms=5"), "'commit.interval.ms' has no effect on engine 'memory'"),
        (
            ("--engine", "spark", "--set", "input.buffer.max.bytes=5"),
            "only on engine 'local'; leave it out, or run the flow with",
        ),
        (("--engine", "local", "--port", "7777"), "'server.port' is that of a server, which a run has only with --serve"),
    ],
)
def test_an_option_without_an_effect_is_refused(eddyline: Eddyline, words: tuple[str, ...], message: str) -> None:
    outcome = eddyline("run", "word-count", "--available-now", *words)
    assert outcome.code == 2
    assert message in outcome.err
    assert "\n" not in outcome.err.strip()


def test_a_flow_is_served_once(eddyline: Eddyline) -> None:
    outcome = eddyline("serve", "word-count", "word-count", "--port", "0")
    assert (outcome.code, outcome.err) == (2, "error: flow 'word-count' is named 2 times; name each flow once\n")


class KilledError(BaseException):
    """The process ends here."""


def test_a_run_on_local_that_was_killed_in_its_first_commit_goes_on(
    eddyline: Eddyline, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append = FileEventSink._append  # noqa: SLF001 - where a process is killed

    def killed(sink: FileEventSink, topic: str, partition: int, batch: BatchId, data: bytes) -> bool:
        if topic == "word-count-tasks":
            raise KilledError
        return append(sink, topic, partition, batch, data)

    words = ("run", "word-count", "--engine", "local", "--available-now")
    write_lines(tmp_path / "data", *LINES)
    with monkeypatch.context() as patched:
        patched.setattr(FileEventSink, "_append", killed)
        with pytest.raises(KilledError):
            eddyline(*words)
    first = (tmp_path / "data/topics/word-counts/partition-0.jsonl").read_text()
    assert first
    outcome = eddyline(*words)
    assert outcome.code == 0, outcome.err
    assert (tmp_path / "data/topics/word-counts/partition-0.jsonl").read_text() == first
