"""The README shows what the code does."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

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
    code = [line for line in blocks("python")[0].splitlines() if line.strip() and not line.startswith(("from", "import"))]
    assert len(code) <= 12


@pytest.mark.extensive
def test_the_commands_of_the_first_flow_run_as_written(tmp_path: Path) -> None:
    (tmp_path / "my_flows.py").write_text(blocks("python")[0], encoding="utf-8")
    outcome = in_shell(commands("mkdir -p data/topics/payments"), tmp_path)
    assert outcome.returncode == 0, outcome.stderr
    assert '"key":"north"' in outcome.stdout
    assert '"value":2' in outcome.stdout


def test_every_block_of_commands_is_tested() -> None:
    installation = ("pip install", "make run")  # tests/packaging, and the targets of make below
    assert [block for block in blocks("console") if not block.startswith(("mkdir -p data/topics/payments", *installation))] == []


def test_the_readme_is_short_enough_to_be_read() -> None:
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 117


def test_the_table_of_figures_is_of_the_performance_page() -> None:
    rows = re.findall(r"^\|.*\d,000.*\|$", README.read_text(encoding="utf-8"), re.MULTILINE)
    figures = {figure for row in rows for figure in re.findall(r"\d+,000", row)}
    shown = (ROOT / "docs/explanation/performance.md").read_text(encoding="utf-8")
    assert figures
    assert {figure for figure in figures if figure not in shown} == set()


def test_the_make_targets_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"make ([a-z-]+)\b", README.read_text(encoding="utf-8"))) <= targets
