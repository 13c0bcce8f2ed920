"""`eddyline run --serve` answers queries of the state of a flow while it runs."""

import json
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.adapters.cli.test_run_command import LINES, write_lines
from tests.fixtures.commands import Commands, Eddyline, served_address
from tests.fixtures.otlp_collector import collector

_TIMEOUT_S = 120.0
ENGINES = ["memory", "local", pytest.param("spark", marks=[pytest.mark.spark, pytest.mark.slow])]


def start(commands: Commands, name: str, data_dir: Path, engine: str) -> str:
    """Start a run with a server on a free port, and return the URL of the server."""
    words = ("--engine", engine, "--serve", "--port", "0", "--data-dir", data_dir, "--set", "trigger.interval.ms=100")
    commands.start(name, "run", "word-count", *words)
    deadline = time.monotonic() + _TIMEOUT_S
    while (url := served_address(commands.err(name))) is None:
        assert commands.is_running(name), commands.err(name)
        assert time.monotonic() < deadline, commands.err(name)
        time.sleep(0.05)
    return url


def test_a_run_prints_its_address_with_a_token_which_commands_of_the_user_find(
    eddyline: Eddyline, commands: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDDYLINE_SERVER_GENERATE_TOKEN", "true")
    write_lines(tmp_path / "data", *LINES)
    address = httpx.URL(start(commands, "run", tmp_path / "data", "local"))
    server = str(address.copy_with(path="/", query=None))
    assert httpx.get(f"{server}stores").status_code == 401
    for words in (("status",), ("top", "--once")):
        assert eddyline(*words, "--server", server).code == 0
    headers = {"Authorization": f"Bearer {address.params['token']}"}
    assert httpx.post(f"{server}stop", json={}, headers=headers).status_code == 202
    assert commands.wait("run", _TIMEOUT_S) == 0


def count_of(url: str, word: str, lines: int) -> dict[str, Any]:
    """Return the answer about a word once the state includes this many lines."""
    deadline = time.monotonic() + _TIMEOUT_S
    parameters: dict[str, Any] = {"min_offset": f"text-lines:0:{lines - 1}", "timeout": 10}
    with httpx.Client(timeout=120) as client:
        while True:
            answer = client.get(f"{url}/stores/word-count-store/keys/{word}", params=parameters)
            if answer.status_code == 200:
                found: dict[str, Any] = answer.json()
                return found
            assert answer.status_code in {404, 412}, answer.text
            assert time.monotonic() < deadline, answer.text
            time.sleep(0.05)


def status_of(url: str, records: int) -> dict[str, Any]:
    """Return the status of a run once it reports this many records; it reports a batch after its state can be queried."""
    deadline = time.monotonic() + _TIMEOUT_S
    while True:
        found: dict[str, Any] = httpx.get(f"{url}/status", timeout=120).raise_for_status().json()
        if found["totals"]["recordsIn"].get("text-lines") == records:
            return found
        assert time.monotonic() < deadline, found
        time.sleep(0.05)


def check_status(status: dict[str, Any], engine: str) -> None:
    """Check the status of a run that has counted three lines with the words 'to be or not to be be'."""
    assert [status[name] for name in ("flow", "engine", "state", "recordingLevel")] == ["word-count", engine, "running", "debug"]
    assert (status["lag"], status["streamTime"]) == (0, 3)
    assert status["totals"]["recordsOut"].keys() == {"word-counts"}
    processed = {node["kind"]: node["processed"] for node in status["nodes"]}
    assert (processed["flat-map-values"], processed["aggregate"]) == (3, 7)
    assert [(found["offset"], found["end"], found["lag"]) for found in status["partitions"]] == [(3, 3, 0)]
    assert status["stateEntries"] >= 4
    assert (status["stateBytes"] or 0) > 0 if engine == "spark" else status["stateBytes"] is None
    assert sum(batch["records"] for batch in status["history"]) == 3
    assert status["totals"]["transactions"]["committed"] >= len(status["history"])


@pytest.mark.parametrize("engine", ENGINES)
def test_a_running_flow_answers_with_what_it_has_processed(
    commands: Commands, tmp_path: Path, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "data"
    write_lines(data, *LINES)
    with collector() as (endpoint, received):
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint)
        monkeypatch.setenv("EDDYLINE_TRACING_ENABLED", "true")
        check_run(commands, data, engine)
    spans = [span for request in received for span in request.resource_spans[0].scope_spans[0].spans]
    assert {span.name for span in spans} == {"process word-count"}


def check_run(commands: Commands, data: Path, engine: str) -> None:
    """Run the flow, query it, and stop it over REST."""
    url = start(commands, "first", data, engine)
    answer = count_of(url, "be", len(LINES))
    assert [(row["key"], row["value"]) for row in answer["rows"]] == [("be", 2)]
    assert (answer["freshness"]["offsets"], answer["freshness"]["lag"]) == ({"text-lines": [2]}, 0)
    write_lines(data, {"timestamp": 3, "key": None, "value": "be"})
    assert count_of(url, "be", len(LINES) + 1)["rows"][0]["value"] == 3
    check_status(status_of(url, len(LINES) + 1), engine)
    assert (
        'eddyline_run_records_consumed_total{application_id="word-count",topic="text-lines"} 3.0'
        in httpx.get(f"{url}/metrics").text
    )
    assert httpx.get(f"{url}/dead-letters").json()["total"] == 0
    assert httpx.post(f"{url}/stop", json={}).status_code == 202
    assert commands.wait("first", _TIMEOUT_S) == 0
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"{url}/health/live")


@pytest.mark.parametrize("engine", ["local", pytest.param("spark", marks=[pytest.mark.spark, pytest.mark.slow])])
def test_a_run_knows_where_it_continues_before_anything_follows(commands: Commands, tmp_path: Path, engine: str) -> None:
    data = tmp_path / "data"
    write_lines(data, *LINES)
    for name in ("first", "second"):
        url = start(commands, name, data, engine)
        deadline = time.monotonic() + _TIMEOUT_S
        while (status := httpx.get(f"{url}/status", timeout=120).json())["lag"] != 0:
            assert time.monotonic() < deadline, status
            time.sleep(0.05)
        assert [(found["offset"], found["end"]) for found in status["partitions"]] == [(2, 2)]
        assert httpx.post(f"{url}/stop", json={}).status_code == 202
        assert commands.wait(name, _TIMEOUT_S) == 0


@pytest.mark.spark
@pytest.mark.slow
def test_a_run_after_a_crash_answers_with_all_state(commands: Commands, tmp_path: Path) -> None:
    data = tmp_path / "data"
    write_lines(data, *LINES)
    assert count_of(start(commands, "first", data, "spark"), "be", len(LINES))["rows"][0]["value"] == 2
    commands.kill("first")
    write_lines(data, {"timestamp": 3, "key": None, "value": "be not"})
    url = start(commands, "second", data, "spark")
    assert count_of(url, "be", len(LINES) + 1)["rows"][0]["value"] == 3
    assert count_of(url, "or", len(LINES) + 1)["rows"][0]["value"] == 1


@pytest.mark.spark
def test_state_from_before_the_changelogs_is_refused(eddyline: Eddyline, tmp_path: Path) -> None:
    folder = tmp_path / "data/state/word-count"
    (folder / "spark/offsets").mkdir(parents=True)
    (folder / "spark/offsets/0").touch()
    write_lines(tmp_path / "data", *LINES)
    identity = {"format": 1, "application_id": "word-count", "writer": "word-count-1", "groups": 1}
    stages = [["text-lines"], ["word-count-store-repartition"]]
    (folder / "eddyline.json").write_text(json.dumps({**identity, "stages": stages}))
    outcome = eddyline("run", "word-count", "--available-now", "--serve", "--port", "0")
    assert outcome.code == 1
    assert "has contents of store 'word-count-store' from before it had a changelog" in outcome.err
