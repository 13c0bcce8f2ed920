from pathlib import Path

import pytest

from eddyline.adapters.cli.catalogue import known_flows
from tests.adapters.cli.conftest import Eddyline

ECHO = """
from eddyline.application.flows.flow import Flow

def echo(builder, *, suffix: str = "!", times: int = 1):
    builder.stream("shouts", key=str, value=str).map_values(lambda text: (text + suffix) * times).to("echoes")

FLOWS = (Flow("echo", "Gives back what it hears.", echo),)
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


def test_flows_of_a_module_in_the_working_folder_are_listed_too(eddyline: Eddyline, echo_module: str) -> None:
    row = next(line for line in eddyline("flows", "--flows", echo_module).out.splitlines() if line.startswith("echo"))
    assert all(part in row for part in ("Gives back what it hears.", "shouts", "echoes", "suffix='!'"))


def test_two_flows_of_one_name_are_refused(eddyline: Eddyline, tmp_path: Path) -> None:
    (tmp_path / "twin_flows.py").write_text(ECHO.replace('"echo"', '"word-count"'))
    outcome = eddyline("flows", "--flows", "twin_flows")
    assert outcome.code == 2
    assert outcome.err == "error: flow 'word-count' of module 'twin_flows' has the name of another flow; give it one of its own\n"


def test_what_is_no_flow_is_refused(eddyline: Eddyline, tmp_path: Path) -> None:
    (tmp_path / "stray_flows.py").write_text("FLOWS = ('echo',)")
    outcome = eddyline("flows", "--flows", "stray_flows")
    assert outcome.code == 2
    assert "FLOWS of module 'stray_flows' holds 'echo', which is no eddyline.application.flows.flow.Flow" in outcome.err
