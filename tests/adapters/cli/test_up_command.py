"""`eddyline up`, and `eddyline run` with several flows."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.adapters.cli.conftest import Eddyline
from tests.adapters.cli.test_run_command import written
from tests.adapters.webhook.test_notifier import Receiver
from tests.fixtures.commands import Commands, served_address

_TIMEOUT_S = 120.0

FLOWS = """
from pathlib import Path
from eddyline import Alert, Flow, Service, ServiceFlow, TopologyBuilder

def doubled(builder: TopologyBuilder) -> None:
    builder.stream("numbers", key=str, value=int).map_values(double).to("doubled")

def double(number: int) -> int:
    if number == 13 and not Path("lucky").exists():
        raise ValueError("13 is unlucky")
    return 2 * number

def totals(builder: TopologyBuilder, *, least: int = 0) -> None:
    totals = builder.stream("doubled", key=str, value=int).group_by_key().aggregate(
        int, lambda number, total: number + total, store="totals")
    totals.to_stream().filter(lambda _key, total: total >= least).to("totals")

def audit(builder: TopologyBuilder) -> None:
    builder.stream("numbers", key=str, value=int).to("audited")

ALERTS = [Alert("totals", to="operator", subject="A total", body=str)]
FLOWS = (Flow("doubled", "Doubles.", doubled), Flow("totals", "Sums up.", totals, alerts=ALERTS), Flow("audit", "Copies.", audit))
SERVICE = Service("sums", flows=["totals", "doubled", ServiceFlow("audit", "local")], settings={"engine": "local"})
"""
SERVICE = """
name = "sums"
modules = ["numbers_flows"]
engine = "local"

[[flows]]
flow = "totals"
least = 4

[[flows]]
flow = "doubled"
"num.partitions" = 2
"""


@pytest.fixture(autouse=True)
def module(tmp_path: Path) -> None:
    (tmp_path / "numbers_flows.py").write_text(FLOWS)


def write(data_dir: Path, *numbers: int) -> None:
    folder = data_dir / "topics/numbers"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "partition-0.jsonl").open("a") as file:
        file.writelines(json.dumps({"key": "a", "value": number, "timestamp": number}) + "\n" for number in numbers)


def values(data_dir: Path, topic: str) -> list[Any]:
    return [record["value"] for record in written(data_dir, topic)]


def until(fact: Callable[[], bool], commands: Commands, name: str = "up") -> None:
    deadline = time.monotonic() + _TIMEOUT_S
    while not fact():
        assert commands.is_running(name), commands.err(name)
        assert time.monotonic() < deadline, commands.err(name)
        time.sleep(0.05)


def started(commands: Commands, *words: str | Path) -> str:
    """Start a service with a server on a free port, and return the URL of the server."""
    commands.start("up", *words, "--flows", "numbers_flows", "--port", "0")
    until(lambda: served_address(commands.err("up")) is not None, commands)
    return served_address(commands.err("up")) or ""


@pytest.mark.parametrize("words", [("run", "totals", "doubled", "--engine", "local"), ("up", "sums")])
def test_flows_run_together_to_the_end_of_what_those_upstream_have_written(
    eddyline: Eddyline, tmp_path: Path, words: tuple[str, ...]
) -> None:
    write(tmp_path / "data", 1, 2)
    outcome = eddyline(*words, "--flows", "numbers_flows", "--available-now")
    assert (outcome.code, values(tmp_path / "data", "totals")) == (0, [2, 6])
    assert "totals: 2 records in 1 batch, " in outcome.err


def test_a_file_has_the_flows_of_a_service_with_their_settings(eddyline: Eddyline, tmp_path: Path) -> None:
    write(tmp_path / "data", 1, 2)
    (tmp_path / "service.toml").write_text(SERVICE)
    assert eddyline("up", "--available-now").code == 0
    assert values(tmp_path / "data", "totals") == [6]
    assert len(list((tmp_path / "data/topics/doubled").glob("*.jsonl"))) <= 2
    assert eddyline("up", "--available-now", "--version", "v2", "--set", "least=0").code == 0
    assert values(tmp_path / "data", "totals-v2") == [2, 6]
    assert values(tmp_path / "data", "doubled-v2") == [2, 4]


def test_a_flow_that_fails_at_the_end_of_the_topics_fails_the_service_and_stops_no_other(
    eddyline: Eddyline, tmp_path: Path
) -> None:
    write(tmp_path / "data", 13)
    outcome = eddyline("up", "--flows", "numbers_flows", "--available-now")
    assert (outcome.code, values(tmp_path / "data", "audited")) == (1, [13])
    assert "error: flow 'doubled' failed: ValueError: 13 is unlucky" in outcome.err
    assert outcome.err.endswith("error: 1 of 3 flows failed: 'doubled'\n")


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        (("run", "totals", "total"), 2, "unknown flow 'total'; did you mean 'totals'?"),
        (("run", "totals", "totals"), 2, "flows 'totals' and 'totals' have the same application id 'totals'"),
        (("run", "totals", "audit", "--engine", "memory"), 2, "could not be restarted; run the flows of a service with --engine"),
        (("run", "totals", "audit", "--engine", "local", "--log", "memory"), 2, "set log to files or kafka"),
        (("run", "totals", "audit", "--restore-from", "changelog"), 2, "--restore-from is for one flow"),
        (("up", "sum"), 2, "unknown service 'sum'; did you mean 'sums'?"),
        (("up", "missing.toml"), 2, "service file 'missing.toml' does not exist"),
    ],
)
def test_flows_that_cannot_run_together_are_refused(eddyline: Eddyline, words: tuple[str, ...], code: int, text: str) -> None:
    outcome = eddyline(*words, "--flows", "numbers_flows", "--available-now")
    assert (outcome.code, outcome.out) == (code, "")
    assert text in outcome.err


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("name = 7", "has no name; add name = "),
        ("name = 'x'", "has no flows; add for each flow a table [[flows]]"),
        ("name = 'x'\nflows = ['a']", "has no flows; add for each flow a table [[flows]]"),
        ("name = 'x'\n[[flows]]\nname = 'a'", "table 1 of [[flows]] in service file 'service.toml' names no flow; add flow ="),
        ("name = 'x'\nmodules = 7\n[[flows]]\nflow = 'audit'", "'modules' in service file 'service.toml' is 7; write a list"),
        (
            "name = 'x'\n[[flows]]\nflow = 'audit'\nengine = 'memory'",
            "engine of flow 'audit' is 'memory'; choose one of: 'local', ",
        ),
        (
            "name = 'x'\n[[flows]]\nflow = 'audit'\nnum.partition = 3",
            "unknown setting 'num.partition' (from flow 'audit' of service 'x'); did you mean 'num.partitions'?",
        ),
        ("name = 'x'\nengin = 'local'\n[[flows]]\nflow = 'audit'", "unknown setting 'engin' (from service 'x'); did you mean"),
        (
            "name = 'x'\n[[flows]]\nflow = 'totals'\n[[flows]]\nflow = 'audit'\nserver.port = 1",
            "flows 'totals' and 'audit' have different settings server.port, but one server and one log; set it for the service",
        ),
        ("name = 'x", "cannot read service file 'service.toml' as TOML: "),
    ],
)
def test_an_invalid_service_file_is_refused(eddyline: Eddyline, tmp_path: Path, content: str, text: str) -> None:
    (tmp_path / "service.toml").write_text(content)
    outcome = eddyline("up", "--flows", "numbers_flows", "--available-now")
    assert outcome.code == 2
    assert text in outcome.err


def test_one_server_shows_all_flows_and_a_failed_one_restarts_without_stopping_the_others(
    eddyline: Eddyline, commands: Commands, tmp_path: Path
) -> None:
    del eddyline  # its working directory
    data = tmp_path / "data"
    write(data, 1)
    url = started(commands, "up")
    until(lambda: values(data, "totals") == [2], commands)
    write(data, 13, 4)

    def status(flow: str) -> Any:
        return httpx.get(f"{url}/status", params={"flow": flow}).raise_for_status().json()

    problem = "s): ValueError: 13 is unlucky"
    until(lambda: problem in (status("doubled")["problem"] or "") and status("doubled")["restarts"] > 0, commands)
    until(lambda: values(data, "audited") == [1, 13, 4], commands)
    service = httpx.get(f"{url}/status").json()
    assert (service["service"], [flow["flow"] for flow in service["flows"]]) == ("sums", ["totals", "doubled", "audit"])
    until(lambda: httpx.get(f"{url}/health/ready").status_code == 503, commands)
    assert httpx.get(f"{url}/health/ready").json()["failing"].keys() == {"doubled"}
    (tmp_path / "lucky").touch()
    until(lambda: values(data, "totals") == [2, 28, 36], commands)
    until(lambda: httpx.get(f"{url}/health/ready").status_code == 200, commands)
    assert httpx.get(f"{url}/stores/totals/keys/a").json()["rows"][0]["value"] == 36
    metrics = httpx.get(f"{url}/metrics").text
    assert 'eddyline_run_state{application_id="audit",state="running"} 1.0' in metrics
    assert 'eddyline_run_restarts_total{application_id="audit"} 0.0' in metrics
    assert httpx.post(f"{url}/stop", json={}).status_code == 202
    assert commands.wait("up", _TIMEOUT_S) == 0
    lines = [json.loads(line) for line in commands.err("up")]
    errors = [line for line in lines if line["level"] == "error"]
    assert errors[0]["event"].endswith("; restarting in 1 s (1st time)")
    assert {(line["service"], line["flow"]) for line in errors} == {("sums", "doubled")}
    assert [line["flow"] for line in lines if line["event"] == "stopped"][-1] == "totals", "those upstream stop first"


def test_nothing_is_lost_or_written_twice_when_a_service_is_killed(
    eddyline: Eddyline, commands: Commands, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    numbers = list(range(100, 2_100))
    write(data, *numbers)
    commands.start("up", "up", "--flows", "numbers_flows", "--no-serve", "--set", "commit.interval.ms=5")
    until(lambda: bool(values(data, "totals")), commands)
    commands.kill("up")
    write(data, 5)
    assert eddyline("up", "--flows", "numbers_flows", "--available-now").code == 0
    assert values(data, "doubled") == [2 * number for number in (*numbers, 5)]
    assert len(values(data, "totals")) == len(numbers) + 1
    assert values(data, "totals")[-1] == 2 * (sum(numbers) + 5)


def test_alerts_of_a_service_are_sent_once_in_the_version_that_it_writes(eddyline: Eddyline, tmp_path: Path) -> None:
    write(tmp_path / "data", 1, 2)
    (tmp_path / "service.toml").write_text(f'alerts = ["totals"]\n{SERVICE}')
    first = eddyline("up", "--available-now", "--version", "v2")
    assert (first.code, first.out) == (0, "to operator: A total\n  6\n")
    again = eddyline("up", "--available-now", "--version", "v2")
    assert (again.code, again.out) == (0, "")


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.released.set()
        server.shutdown()
        thread.join()


def test_after_a_kill_only_the_alert_under_way_is_posted_again_with_the_key_that_it_had(
    eddyline: Eddyline, commands: Commands, tmp_path: Path, receiver: Receiver
) -> None:
    del eddyline  # its working directory
    data = tmp_path / "data"
    module = FLOWS.replace('to="operator"', f'to="{receiver.url}"')
    (tmp_path / "numbers_flows.py").write_text(module.replace('flows=["totals"', 'alerts=["totals"], flows=["totals"'))
    write(data, 1, 2)
    started(commands, "up")
    until(lambda: len(receiver.requests) == 2, commands)
    receiver.hangs = True
    write(data, 3)
    until(lambda: len(receiver.requests) == 3, commands)
    commands.kill("up")
    receiver.hangs = False
    receiver.released.set()
    write(data, 4)
    started(commands, "up")
    until(lambda: len(receiver.requests) == 5, commands)
    assert commands.stop("up", _TIMEOUT_S) == 0
    posted = [(headers["Idempotency-Key"], body["body"]) for _, headers, body in receiver.requests]
    assert [body for _, body in posted] == ["2", "6", "12", "12", "20"]
    assert (posted[2] == posted[3], len(set(posted))) == (True, 4)


def test_alerts_of_a_topic_that_no_flow_writes_are_refused(eddyline: Eddyline, tmp_path: Path) -> None:
    (tmp_path / "service.toml").write_text(f'alerts = ["total"]\n{SERVICE}')
    refused = eddyline("up", "--available-now")
    message = "no flow of the service declares alerts of topic 'total'; did you mean 'totals'?"
    assert (refused.code, refused.err) == (2, f"error: {message}\n")


@pytest.mark.spark
@pytest.mark.slow
def test_a_flow_on_spark_runs_beside_others_on_local_and_reads_what_they_write(
    eddyline: Eddyline, commands: Commands, tmp_path: Path
) -> None:
    del eddyline  # its working directory
    data = tmp_path / "data"
    write(data, 1, 2)
    (tmp_path / "service.toml").write_text(SERVICE.replace("least = 4", 'engine = "spark"') + '\n[[flows]]\nflow = "audit"\n')
    started(commands, "up")
    until(lambda: values(data, "totals") == [2, 6], commands)
    write(data, 3)
    until(lambda: values(data, "totals") == [2, 6, 12] and values(data, "audited") == [1, 2, 3], commands)
    assert commands.stop("up", _TIMEOUT_S) == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--master", "local[2]"), "setting 'spark.master' has no effect on engine 'local', only on engine 'spark'"),
        (("--set", "spark.executor.memory=1g"), "setting 'spark.executor.memory' has no effect on engine 'local'"),
        (("--available-now", "--port", "7777"), "setting 'server.port' is that of a server"),
    ],
)
def test_an_option_that_no_flow_of_the_service_reads_is_refused(
    eddyline: Eddyline, tmp_path: Path, words: tuple[str, ...], message: str
) -> None:
    (tmp_path / "service.toml").write_text(SERVICE)
    write(tmp_path / "data", 1)
    outcome = eddyline("up", *words)
    assert outcome.code == 2
    assert message in outcome.err
