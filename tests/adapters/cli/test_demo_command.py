import json
import time
from collections.abc import Sequence
from pathlib import Path

import httpx
import pytest

from eddyline import Flow
from eddyline.application.samples.catalogue import FLOWS
from tests.adapters.cli.conftest import Eddyline
from tests.fixtures.commands import Commands

SMALL = ["--engine", "memory", "--days", "2", "--trades-per-day", "100"]


def test_the_demonstration_shows_the_latest_windows_and_where_the_data_is(eddyline: Eddyline, tmp_path: Path) -> None:
    outcome = eddyline("demo", *SMALL)
    assert outcome.code == 0, outcome.err
    table, _, chart = outcome.out.partition("\n\n")
    rows = [line.split() for line in table.splitlines()[2:]]
    assert [row[0] for row in rows] == [ticker for ticker in ("AAPL", "FB", "GOOG", "IBM", "MSFT") for _ in range(3)]
    assert rows[-1][1:6] == ["2012-05-21", "20:00:00", "2012-05-21", "20:00:05", "1"]
    assert "1,000 trades of 5 companies on 2 days" in outcome.err
    assert "data/demo/topics/stock-stats" in outcome.err
    assert sum(file.stat().st_size for file in (tmp_path / "data/demo/topics/stock-stats").glob("*.jsonl")) > 0
    assert chart.startswith("AAPL on 2012-05-21: lowest and average price in windows of 5 s (time in UTC)\n")
    assert "█" in chart
    assert max(map(len, chart.splitlines())) <= 80


def test_the_demonstration_starts_from_scratch(eddyline: Eddyline) -> None:
    first = eddyline("demo", *SMALL)
    assert eddyline("demo", *SMALL).out == first.out


def test_a_directory_that_is_not_empty_is_refused(eddyline: Eddyline, tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("mine")
    outcome = eddyline("demo", *SMALL, "--data-dir", tmp_path)
    assert (outcome.code, outcome.err) == (
        2,
        f"error: directory '{tmp_path}' is not empty; give an empty or a new one with --data-dir\n",
    )


def test_what_to_try_next_works(eddyline: Eddyline) -> None:
    shown = eddyline("demo", *SMALL).err.partition("try next:\n")[2].splitlines()
    commands = [line.partition("#")[0].split() for line in shown if line.startswith("  eddyline")]
    assert len(commands) == 3
    for _, *words in commands:
        assert eddyline(*words).code == 0


def test_a_directory_that_is_a_file_is_refused(eddyline: Eddyline, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    outcome = eddyline("demo", *SMALL, "--data-dir", "file")
    assert (outcome.code, outcome.err) == (2, "error: 'file' is a file; give an empty or a new directory with --data-dir\n")


def test_the_demonstration_is_shown_on_a_page_until_it_is_stopped(commands: Commands, tmp_path: Path) -> None:
    commands.start("demo", "demo", *SMALL, "--serve", "--data-dir", tmp_path / "data")
    deadline = time.monotonic() + 120
    while not (urls := [line.split()[-1] for line in commands.err("demo") if line.startswith("serving 'stock-stats' at ")]):
        assert commands.is_running("demo"), commands.err("demo")
        assert time.monotonic() < deadline, commands.err("demo")
        time.sleep(0.05)
    assert "<title>Overview · stock-stats · Eddyline</title>" in httpx.get(f"{urls[0]}/ui/").text
    assert httpx.get(f"{urls[0]}/status").json()["state"] == "not-running"
    assert commands.stop("demo", 120) == 0
    assert "latest windows" in "\n".join(commands.out("demo"))


Results = dict[str, list[tuple[str, int]]]

LATEST = {"stock-stats", "daily-ranges", "products-of-the-week", "results-per-query"}
"""Topics of which the last result of each key is compared: others depend on where batches end, or on which search came first."""
BY_ARRIVAL = {"guest-views", "missed-confirmations", "user-activity", "clicks-per-zip-code", "user-minutes"}
"""Topics of flows over several topics with late records, which a replay takes before what a live run has taken already."""


def results(folder: Path, topic: str) -> Results:
    """Return the values and timestamps of a topic by key."""
    found: Results = {}
    for line in (folder / "topics" / topic / "partition-0.jsonl").read_text().splitlines():
        record = json.loads(line)
        found.setdefault(json.dumps(record.get("key")), []).append((json.dumps(record.get("value")), record["timestamp"]))
    return found


def count(found: Results) -> int:
    return sum(map(len, found.values()))


def last(found: Results) -> dict[str, str]:
    return {key: records[-1][0] for key, records in found.items()}


def check_that_nothing_is_lost(eddyline: Eddyline, folder: Path, flow: Flow) -> None:
    """Compare the results of a flow, all of whose input is processed, with those of a replay of the input in memory."""
    replay = ("--engine", "memory", "--available-now", "--version", "replay", "--set", "num.partitions=1")
    assert eddyline("run", flow.name, *replay, "--set", "create.topics=true", "--data-dir", folder).code == 0
    for topic in (spec.name for spec in flow.topology().sink_topics):
        found, expected = results(folder, topic), results(folder, f"{topic}-replay")
        if topic in BY_ARRIVAL:
            lost = sum(
                len({value for value, _ in expected[key]} - {value for value, _ in found.get(key, [])}) for key in expected
            )
            assert lost <= 0.05 * count(expected), (topic, lost, count(expected))
        elif topic in LATEST:
            assert last(found) == last(expected), topic
        else:
            assert found == expected, topic


def written(commands: Commands) -> dict[str, int]:
    """Return how many records each flow has written; wait for the server."""
    deadline = time.monotonic() + 120
    while not (urls := [word.rstrip(";") for line in commands.err("demo") for word in line.split() if word.startswith("http")]):
        assert commands.is_running("demo"), commands.err("demo")
        assert time.monotonic() < deadline, commands.err("demo")
        time.sleep(0.05)
    status = httpx.get(f"{urls[0]}/status").json()
    assert status["healthy"], status
    return {flow["flow"]: sum(flow["totals"]["recordsOut"].values()) for flow in status["flows"]}


def check_a_killed_demonstration(
    commands: Commands, eddyline: Eddyline, folder: Path, words: Sequence[str], flows: Sequence[Flow], last_flow: str
) -> None:
    """Run a demonstration until each flow has results, kill it, continue it until `last_flow` has more, and look for losses."""
    commands.start("demo", "demo", *words, "--no-browser", "--data-dir", folder)
    deadline = time.monotonic() + 120
    while still := [name for name, number in written(commands).items() if number == 0]:
        assert time.monotonic() < deadline, still
        time.sleep(0.2)
    assert set(written(commands)) == {each.name for each in flows}
    commands.kill("demo")
    commands.start("demo", "demo", *words, "--continue", "--no-browser", "--data-dir", folder)
    while written(commands)[last_flow] == 0:
        assert time.monotonic() < deadline
        time.sleep(0.2)
    assert commands.stop("demo", 60) == 0
    names = [flow.name for flow in flows]
    assert eddyline("run", *names, "--engine", "local", "--available-now", "--data-dir", folder).code == 0
    for flow in flows:
        check_that_nothing_is_lost(eddyline, folder, flow)


@pytest.mark.slow
def test_all_flows_move_within_a_minute_and_a_kill_loses_nothing(commands: Commands, eddyline: Eddyline, tmp_path: Path) -> None:
    check_a_killed_demonstration(commands, eddyline, tmp_path / "all", ["--all"], FLOWS, "log-triage")
    assert eddyline("demo", "--all", "--data-dir", tmp_path / "all").code == 2


def test_some_flows_move_and_a_kill_loses_nothing(commands: Commands, eddyline: Eddyline, tmp_path: Path) -> None:
    names = ["fb-notifications", "large-sales", "inventory"]
    flows = [flow for flow in FLOWS if flow.name in names]
    check_a_killed_demonstration(commands, eddyline, tmp_path / "some", names, flows, "inventory")


def test_flows_of_the_demonstration_are_checked_before_anything_is_deleted(eddyline: Eddyline, tmp_path: Path) -> None:
    kept = tmp_path / "data/demo/precious"
    kept.parent.mkdir(parents=True)
    kept.write_text("mine")
    outcome = eddyline("demo", "inventroy")
    assert (outcome.code, outcome.err) == (2, "error: unknown sample flow 'inventroy'; did you mean 'inventory'?\n")
    assert eddyline("demo", "--all", "inventory").err == "error: give either --all or flows such as 'inventory', not both\n"
    assert kept.read_text() == "mine"


def test_options_of_the_demonstration_of_all_flows_need_it(eddyline: Eddyline) -> None:
    outcome = eddyline("demo", "--continue", *SMALL)
    assert (outcome.code, outcome.err) == (2, "error: --continue is for the live demonstration; add --all or flows\n")
