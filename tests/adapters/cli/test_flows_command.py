import json
from collections.abc import Callable
from pathlib import Path

import pytest

from eddyline.adapters.cli.catalogue import known_flows
from tests.adapters.cli.conftest import Eddyline

ECHO = """
from eddyline import Flow

def echo(builder, *, suffix: str = "!", times: int = 1):
    builder.stream("shouts", key=str, value=str).map_values(lambda text: (text + suffix) * times).to("echoes")

FLOWS = (Flow("echo", "Returns every shout.", echo),)
"""


@pytest.fixture
def echo_module(tmp_path: Path) -> str:
    (tmp_path / "echo_flows.py").write_text(ECHO)
    return "echo_flows"


def test_every_flow_is_a_row_with_its_topics_and_settings(eddyline: Eddyline) -> None:
    outcome = eddyline("flows")
    assert (outcome.code, outcome.err) == (0, "")
    row = next(line for line in outcome.out.splitlines() if line.startswith("stock-stats"))
    assert "trades" in row
    assert "size_ms=5000" in row
    assert all(flow.name in outcome.out for flow in known_flows())


def test_flows_of_a_module_in_the_working_directory_are_listed(eddyline: Eddyline, echo_module: str) -> None:
    row = next(line for line in eddyline("flows", "--flows", echo_module).out.splitlines() if line.startswith("echo"))
    assert all(part in row for part in ("Returns every shout.", "shouts", "echoes", "suffix='!'"))


def test_a_flow_of_the_user_may_have_the_name_of_a_sample(eddyline: Eddyline, tmp_path: Path) -> None:
    (tmp_path / "own_flows.py").write_text(ECHO.replace('"echo"', '"word-count"'))
    rows = [line for line in eddyline("flows", "--flows", "own_flows").out.splitlines() if line.startswith("word-count")]
    assert ["shouts" in row for row in rows] == [True]
    assert "echoes" in eddyline("topology", "word-count", "--flows", "own_flows").out


def test_two_flows_of_one_name_in_the_users_modules_are_refused(eddyline: Eddyline, tmp_path: Path, echo_module: str) -> None:
    (tmp_path / "twin_flows.py").write_text(ECHO)
    outcome = eddyline("flows", "--flows", echo_module, "--flows", "twin_flows")
    assert outcome.code == 2
    assert outcome.err == "error: module 'twin_flows' has another flow 'echo'; rename one of them\n"


def test_something_else_than_a_flow_is_refused(eddyline: Eddyline, tmp_path: Path) -> None:
    (tmp_path / "stray_flows.py").write_text("FLOWS = ('echo',)")
    outcome = eddyline("flows", "--flows", "stray_flows")
    assert outcome.code == 2
    assert "FLOWS of module 'stray_flows' contains 'echo', which is not an eddyline.Flow" in outcome.err


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("\nlimit = 1 / 0", "ZeroDivisionError: division by zero (broken_flows.py, line 2)"),
        ("import no_such_library", "ModuleNotFoundError: No module named 'no_such_library' (broken_flows.py, line 1)"),
        ("\n\nFLOWS = (", "SyntaxError: '(' was never closed (broken_flows.py, line 3)"),
        ("raise AttributeError('x')", "AttributeError: x (broken_flows.py, line 1)"),
    ],
)
def test_an_exception_in_the_users_module_is_shown_with_its_line(
    eddyline: Eddyline, tmp_path: Path, source: str, message: str
) -> None:
    (tmp_path / "broken_flows.py").write_text(source)
    outcome = eddyline("flows", "--flows", "broken_flows")
    assert outcome == (1, "", f"error: cannot import module 'broken_flows': {message}\n")


def test_an_exception_in_the_users_topology_is_shown_with_its_line(eddyline: Eddyline, tmp_path: Path) -> None:
    (tmp_path / "raising_flows.py").write_text(
        ECHO.replace('    builder.stream("shouts"', '    {}["limit"]\n    builder.stream("shouts"')
    )
    outcome = eddyline("topology", "echo", "--flows", "raising_flows")
    assert (outcome.code, outcome.err) == (
        1,
        "error: KeyError: 'limit' (raising_flows.py, line 5); run 'eddyline --traceback …' for the traceback\n",
    )


def test_a_broken_flow_does_not_hide_the_others(eddyline: Eddyline, tmp_path: Path) -> None:
    broken = """
def broken(builder, *, limit: int = 3):
    builder.stream("shouts", key=str, value=str).windowed_by(limit)

def misspelt(builder, *, limit: "no_such_type" = 3):
    builder.stream("shouts", key=str, value=str).to("echoes")

def required(builder, *, limit: int):
    builder.stream("shouts", key=str, value=str).to("echoes")

FLOWS = (
    Flow("broken", "Fails.", broken),
    Flow("misspelt", "Fails, too.", misspelt),
    Flow("required", "Needs a limit.", required),
    *FLOWS,
)
"""
    (tmp_path / "mixed_flows.py").write_text(ECHO + broken)
    outcome = eddyline("flows", "--flows", "mixed_flows")
    assert outcome.code == 0
    warnings = outcome.err.splitlines()
    assert len(warnings) == 2
    assert warnings[0].startswith("warning: cannot build flow 'broken': a Stream has no 'windowed_by'")
    assert warnings[0].endswith("(mixed_flows.py, line 10)")
    assert warnings[1].startswith("warning: cannot build flow 'misspelt': name 'no_such_type' is not defined")
    rows = {line.split()[0]: line for line in outcome.out.splitlines() if line.strip()}
    assert "limit=3" in rows["broken"]
    assert "limit (required)" in rows["required"]
    assert "echoes" in rows["echo"]
    assert "stock-stats" in rows


def test_a_flow_alone_is_accepted(eddyline: Eddyline, tmp_path: Path) -> None:
    (tmp_path / "one_flow.py").write_text(
        ECHO.replace('(Flow("echo", "Returns every shout.", echo),)', 'Flow("echo", "Alone.", echo)')
    )
    assert "Alone." in eddyline("flows", "--flows", "one_flow").out


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """Install a package with an entry point for its flows, as pip does."""
    monkeypatch.syspath_prepend(str(tmp_path / "site"))

    def install(name: str, source: str) -> None:
        metadata = tmp_path / f"site/{name}-1.0.dist-info"
        metadata.mkdir(parents=True)
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (metadata / "entry_points.txt").write_text(f"[eddyline.flows]\n{name} = {name}_flows:FLOWS\n")
        (tmp_path / f"site/{name}_flows.py").write_text(source)

    return install


def test_flows_of_an_installed_package_are_found(eddyline: Eddyline, installed: Callable[[str, str], None]) -> None:
    installed("shouting", ECHO)
    assert "echoes" in eddyline("topology", "echo").out


def test_a_package_whose_flows_cannot_be_loaded_is_reported_and_the_others_are_found(
    eddyline: Eddyline, installed: Callable[[str, str], None]
) -> None:
    installed("shouting", ECHO)
    installed("failing", "\nraise ValueError('no licence')")
    outcome = eddyline("topology", "echo")
    assert outcome.code == 0
    assert outcome.err == "warning: cannot load the flows of package 'failing': no licence (failing_flows.py, line 2)\n"


def test_flows_are_listed_as_json(eddyline: Eddyline) -> None:
    found = {flow["flow"]: flow for flow in map(json.loads, eddyline("flows", "--format", "json").out.splitlines())}
    assert found["word-count"]["reads"] == ["text-lines"]
    assert "size_ms=5000" in found["stock-stats"]["settings"]
