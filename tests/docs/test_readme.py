"""The README shows what the code does."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from eddyline.adapters.cli.main import app
from eddyline.adapters.services.broker import Broker
from eddyline.adapters.services.registry import Registry
from eddyline.application.samples.catalogue import FLOWS
from tests.fixtures.class_archive import WITHOUT_ARCHIVE

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"


def blocks(language: str) -> list[str]:
    """Return the code blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", README.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def commands(first_words: str) -> str:
    """Return the block of commands that begins with these words."""
    return next(block for block in blocks("console") if block.startswith(first_words))


def in_shell(script: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a block of commands as a user does who has installed the package in a virtual environment."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("EDDYLINE_")}
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],  # noqa: S607 - any bash will do
        cwd=folder,
        env={**environment, "PATH": path, **WITHOUT_ARCHIVE, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_first_flow_passes_its_test(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flow, check = blocks("python")
    (tmp_path / "my_flows.py").write_text(flow, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "my_flows", raising=False)
    exec(compile(check, str(README), "exec"), {})  # noqa: S102 - running what the README shows is the test


def test_the_first_flow_is_short() -> None:
    flow = blocks("python")[0]
    code = [line for line in flow.splitlines() if line.strip() and not line.strip().startswith(('"""', "from", "import"))]
    assert len(code) <= 30


def test_the_commands_of_the_first_flow_run_as_written(tmp_path: Path) -> None:
    (tmp_path / "my_flows.py").write_text(blocks("python")[0], encoding="utf-8")
    outcome = in_shell(commands("mkdir -p data/topics/payments"), tmp_path)
    assert outcome.returncode == 0, outcome.stderr
    assert '"value":{"payments":2,"total":1200.0}' in outcome.stdout


def test_every_block_of_commands_is_tested() -> None:
    tested = ("mkdir -p data/topics/payments", "eddyline topology", "eddyline services up", "eddyline dead-letters list")
    installation = ("pip install", "make install")  # tests/packaging, and the targets of make below
    assert [block for block in blocks("console") if not block.startswith((*tested, *installation))] == []


def test_the_commands_about_dead_letters_are_those_that_exist() -> None:
    for line in commands("eddyline dead-letters list").splitlines():
        words = line.partition("#")[0].split()[1:]
        assert CliRunner().invoke(app, [*words, "--help"]).exit_code == 0


@pytest.mark.spark
def test_the_commands_from_kafka_to_kafka_run_as_written(kafka_broker: Broker, schema_registry: Registry, tmp_path: Path) -> None:
    lines = commands("eddyline services up").splitlines()
    outcome = in_shell(
        "\n".join(line for line in lines if "eddyline services" not in line),
        tmp_path,
        EDDYLINE_LOG="kafka",
        EDDYLINE_BOOTSTRAP_SERVERS=kafka_broker.bootstrap_servers,
        EDDYLINE_SCHEMA_REGISTRY_URL=schema_registry.url,
    )
    assert outcome.returncode == 0, outcome.stderr
    assert "log-triage: 2,000 records" in outcome.stderr
    assert '"severity": "ERROR"' in outcome.stdout
    assert "total lag 0" in outcome.stderr


def test_the_settings_file_is_valid(tmp_path: Path) -> None:
    (tmp_path / "eddyline.toml").write_text(blocks("toml")[0], encoding="utf-8")
    assert in_shell("eddyline topology stock-stats", tmp_path).returncode == 0


def test_the_table_of_flows_is_the_registry() -> None:
    shown = README.read_text(encoding="utf-8").partition("<!-- flows -->\n")[2].partition("<!-- end of flows -->")[0]
    assert shown.splitlines()[2:] == [f"| `{flow.name}` | {flow.summary} |" for flow in FLOWS]


def test_the_topology_is_what_the_command_prints() -> None:
    shown = next(block for block in blocks("text") if block.startswith("Topologies:"))
    assert CliRunner().invoke(app, ["topology", "product-counter"]).stdout.strip() == shown.strip()


def test_the_help_is_what_the_command_prints() -> None:
    printed = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "80", "TERM": "dumb"}).stdout
    shown = next(block for block in blocks("text") if block.startswith("Usage:"))
    assert _beginnings(shown) == _beginnings(printed)


def test_the_make_targets_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"make ([a-z-]+) ", README.read_text(encoding="utf-8"))) <= targets


def _beginnings(text: str) -> list[str]:
    """Return the lines after the first, up to where lines are cut at any width of the terminal."""
    return [line[:60].rstrip() for line in text.splitlines()[1:]]
