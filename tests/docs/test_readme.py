"""What the README shows is run."""

import re
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from eddyline.adapters.cli.main import app
from eddyline.application.samples.catalogue import FLOWS

README = Path(__file__).parents[2] / "README.md"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def test_the_flow_of_the_readme_does_what_its_test_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flow, check = blocks("python")
    (tmp_path / "my_flows.py").write_text(flow, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "my_flows", raising=False)
    exec(compile(check, str(README), "exec"), {})  # noqa: S102 - running what the README shows is the test


def test_the_flow_of_the_readme_is_no_longer_than_it_says() -> None:
    flow = blocks("python")[0]
    code = [line for line in flow.splitlines() if line.strip() and not line.strip().startswith(('"""', "from", "import"))]
    assert len(code) <= 30


def test_the_table_of_flows_is_the_registry() -> None:
    shown = README.read_text(encoding="utf-8").partition("<!-- flows -->\n")[2].partition("<!-- end of flows -->")[0]
    assert shown.splitlines() == [f"| `{flow.name}` | {flow.summary} |" for flow in FLOWS]


def test_the_topology_is_what_the_command_prints() -> None:
    shown = next(block for block in blocks("text") if block.startswith("Topologies:"))
    assert CliRunner().invoke(app, ["topology", "product-counter"]).stdout.strip() == shown.strip()


def test_the_help_of_the_command_is_what_the_command_says() -> None:
    told = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "80", "TERM": "dumb"}).stdout
    shown = next(block for block in blocks("text") if block.startswith("Usage:"))
    assert _beginnings(shown) == _beginnings(told)


def _beginnings(text: str) -> list[str]:
    """The lines but the first, as far as no terminal is too narrow for them."""
    return [line[:60].rstrip() for line in text.splitlines()[1:]]
