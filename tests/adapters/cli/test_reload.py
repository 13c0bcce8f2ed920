"""`--reload`: the command goes on with its state when modules of the user change."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.adapters.cli.conftest import Eddyline
from tests.fixtures.commands import served_address

_TIMEOUT_S = 400.0

MODULE = """
from eddyline import Flow, Service, TopologyBuilder
from amounts import scaled

def totals(builder: TopologyBuilder) -> None:
    numbers = builder.stream("numbers", key=str, value=int).map_values(scaled)
    numbers.group_by_key().aggregate(int, lambda number, total: number + total, store="totals").to_stream().to("totals")

FLOWS = (Flow("totals", "Sums up.", totals),)
SERVICE = Service("sums", flows=["totals"], settings={"engine": "local"})
"""
AMOUNTS = "def scaled(number: int) -> int:\n    return 1 * number\n"


class Running:
    """A command in a process of its own, which is the one that a reload begins again."""

    def __init__(self, folder: Path, words: tuple[str, ...]) -> None:
        self.folder = folder
        self._err = folder / "err"
        (folder / "totals_flow.py").write_text(MODULE)
        (folder / "amounts.py").write_text(AMOUNTS)
        self.write(1)
        command = [sys.executable, "-m", "eddyline", *words, "--flows", "totals_flow", "--reload"]
        with self._err.open("wb") as err:
            self.process = subprocess.Popen(command, cwd=folder, stderr=err)

    def write(self, *numbers: int) -> None:
        """Append records to the input."""
        topic = self.folder / "data/topics/numbers"
        topic.mkdir(parents=True, exist_ok=True)
        with (topic / "partition-0.jsonl").open("a") as file:
            file.writelines(json.dumps({"key": "a", "value": number, "timestamp": number}) + "\n" for number in numbers)

    def totals(self) -> list[int]:
        """Return the results so far."""
        files = sorted((self.folder / "data/topics/totals").glob("*.jsonl"))
        return [json.loads(line)["value"] for file in files for line in file.read_text().splitlines() if line.endswith("}")]

    def edit(self, name: str, before: str, after: str) -> None:
        """Replace a text in a module."""
        path = self.folder / name
        text = path.read_text()
        assert before in text
        path.write_text(text.replace(before, after))

    def lines(self) -> list[str]:
        """Return the complete lines of the log so far."""
        text = self._err.read_text()
        return text[: text.rfind("\n") + 1].splitlines()

    def logged(self, text: str) -> list[dict[str, Any]]:
        """Return the lines of the log with a text."""
        return [json.loads(line) for line in self.lines() if text in line and line.startswith("{")]

    def until(self, fact: Callable[[], object]) -> None:
        """Wait for a fact."""
        deadline = time.monotonic() + _TIMEOUT_S
        while not fact():
            assert self.process.poll() is None, self.lines()
            assert time.monotonic() < deadline, self.lines()
            time.sleep(0.05)

    def stop(self) -> int:
        """Send SIGTERM and return the exit code."""
        self.process.terminate()
        return self.process.wait(_TIMEOUT_S)


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Callable[..., Running]]:
    started: list[Running] = []

    def start(*words: str) -> Running:
        started.append(Running(tmp_path, words))
        return started[-1]

    yield start
    for one in started:
        one.process.kill()
        one.process.wait()
        sys.stdout.write("\n".join(one.lines()))


def test_changed_code_goes_on_with_the_state_the_address_and_the_token(running: Callable[..., Running]) -> None:
    service = running("up", "--port", "0", "--set", "server.generate.token=true")
    service.until(lambda: service.totals() == [1] and served_address(service.lines()))
    address = served_address(service.lines()) or ""
    browser = httpx.Client(follow_redirects=False)
    assert browser.get(address, headers={"Accept": "text/html"}).has_redirect_location, "a session begins"
    service.edit("amounts.py", "1 * number", "2 * number")
    service.until(lambda: len([line for line in service.lines() if "serving '" in line]) == 2)
    service.write(10)
    service.until(lambda: service.totals() == [1, 21])
    addresses = [found for line in service.lines() if (found := served_address([line]))]
    assert addresses == [address, address]
    url = address.partition("/?")[0]
    assert browser.get(f"{url}/stores/totals/keys/a").json()["rows"][0]["value"] == 21, "the session goes on"
    assert [line["event"] for line in service.logged("reloading")] == ["reloading amounts.py"]
    assert service.stop() == 0


def test_what_cannot_be_loaded_is_refused_with_its_file_and_step_and_the_run_goes_on(running: Callable[..., Running]) -> None:
    run = running("run", "totals", "--engine", "local", "--serve", "--port", "0")
    run.until(lambda: run.totals() == [1] and served_address(run.lines()))
    url = (served_address(run.lines()) or "").partition("/?")[0]

    run.edit("amounts.py", "return", "= return")
    run.until(lambda: run.logged("cannot reload"))
    syntax = run.logged("cannot reload")[0]
    assert (syntax["step"], syntax["level"]) == ("import", "error")
    assert syntax["event"] == (
        "cannot reload amounts.py: cannot import module 'totals_flow': SyntaxError: invalid syntax (amounts.py, line 2); the"
        " running version goes on"
    )
    run.edit("totals_flow.py", "aggregate(int, lambda number, total: number +", "aggregate(str, lambda number, total:")
    run.edit("amounts.py", "= return", "return")
    run.until(lambda: run.logged("does not fit"))
    broken = run.logged("does not fit")[0]
    assert broken["step"] == "compare"
    assert "the values of store 'totals' have changed" in broken["event"]
    assert "(--version)" in broken["event"]
    status = httpx.get(f"{url}/status").json()
    assert (status["state"], "cannot reload" in status["problem"]) == ("running", True)
    run.write(10)
    run.until(lambda: run.totals() == [1, 11])
    (run.folder / "totals_flow.py").write_text(MODULE)
    (run.folder / "amounts.py").write_text(AMOUNTS.replace("1 *", "3 *"))
    run.until(lambda: len([line for line in run.lines() if "serving '" in line]) == 2)
    run.write(10)
    run.until(lambda: run.totals() == [1, 11, 41])


@pytest.mark.slow
def test_a_run_that_fails_begins_again_after_the_next_change(running: Callable[..., Running]) -> None:
    run = running("run", "totals", "--engine", "local")
    run.until(lambda: run.totals() == [1])
    run.edit("amounts.py", "1 * number", "number // 0")
    run.until(lambda: run.logged("reloading"))
    run.write(10)
    run.until(lambda: run.logged("ZeroDivisionError"))
    assert run.logged("ZeroDivisionError")[-1]["event"].endswith(
        "the run begins again when a file changes: amounts.py, eddyline.toml, totals_flow.py"
    )
    run.edit("amounts.py", "number // 0", "5 * number")
    run.until(lambda: run.totals() == [1, 51])
    run.edit("amounts.py", "5 * number", "number // 0")
    run.until(lambda: len(run.logged("reloading")) == 2)
    run.write(10)
    run.until(lambda: len(run.logged("begins again")) == 2)
    run.process.send_signal(signal.SIGINT)
    assert run.process.wait(_TIMEOUT_S) == 1, "a signal ends the wait"


@pytest.mark.spark
@pytest.mark.slow
def test_a_flow_on_spark_goes_on_with_its_state(running: Callable[..., Running]) -> None:
    run = running("run", "totals", "--engine", "spark", "--master", "local[1]")
    run.until(lambda: run.totals() == [1])
    run.edit("amounts.py", "1 * number", "2 * number")
    run.until(lambda: run.logged("reloading"))
    run.write(10)
    run.until(lambda: run.totals() == [1, 21])


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("run", "word-count", "--available-now"), "--reload is for runs without an end"),
        (("run", "word-count", "--restore-from", "changelog"), "--restore-from moves the state once"),
        (("run", "word-count", "--package", "a.zip"), "--reload has no effect on the modules in the archive 'a.zip'"),
    ],
)
def test_a_reload_without_an_effect_is_refused(
    eddyline: Eddyline, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], text: str
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", sys.dont_write_bytecode)
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    outcome = eddyline(*words, "--reload")
    assert outcome.code == 2
    assert text in outcome.err


def test_a_reload_of_flows_of_installed_packages_alone_is_refused(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "eddyline", "run", "word-count", "--engine", "local", "--reload"]
    outcome = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert outcome.returncode == 2
    assert "--reload watches modules of your own, but these flows are of installed packages: word-count" in outcome.stderr
