"""The built site has the whole public API, every command and every setting."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import typer

import eddyline
import eddyline.testing
from eddyline.adapters.cli.main import app
from eddyline.adapters.settings import Settings
from tests.docs.pages import ROOT
from tests.docs.test_reference import NAMESPACES, documented, public_members

pytestmark = pytest.mark.slow


def commands(command: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Yield the full names of all commands below a command, with the commands."""
    context = typer.Context(command, info_name=name)
    for sub in command.list_commands(context) if hasattr(command, "list_commands") else ():
        found = command.get_command(context, sub)
        yield f"{name} {sub}", found
        yield from commands(found, f"{name} {sub}")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site. That the build has no warnings is checked by `make docs`."""
    pytest.importorskip("mkdocs", reason="the extra docs is not installed")
    folder = tmp_path_factory.mktemp("site")
    words = [sys.executable, "-m", "mkdocs", "build", "--no-strict", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


def anchors(site: Path, page: str) -> set[str]:
    return set(re.findall(r' id="([^"]+)"', (site / page / "index.html").read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    ("module", "page"), [(eddyline, "reference/eddyline"), (eddyline.testing, "reference/testing")], ids=["eddyline", "testing"]
)
def test_every_public_name_and_member_is_rendered(site: Path, module: ModuleType, page: str) -> None:
    expected = {name for name in module.__all__ if name not in NAMESPACES}
    for name, options in documented(ROOT / "docs" / f"{page}.md").items():
        kind = getattr(module, name)
        if isinstance(kind, type) and options.get("members") is not False:
            expected |= {f"{name}.{member}" for member, _ in public_members(kind)}
    assert {f"{module.__name__}.{name}" for name in expected} - anchors(site, page) == set()


def test_every_command_is_rendered_with_its_options(site: Path) -> None:
    text = (site / "reference/commands/index.html").read_text(encoding="utf-8")
    sections = dict(re.findall(r'<h[2-5] id="[^"]+">(eddyline [^<]+)<(.*?)(?=<h[2-5] |\Z)', text, re.DOTALL))
    expected = dict(commands(typer.main.get_command(app), "eddyline"))
    assert sections.keys() == expected.keys()
    for name, command in expected.items():
        if not hasattr(command, "commands"):
            names = [each.opts if each.param_type_name == "option" else [each.metavar] for each in command.params]
            assert [each for alternatives in names for each in alternatives if each not in sections[name]] == [], name


def test_every_setting_is_rendered(site: Path) -> None:
    assert {field.replace("_", ".") for field in Settings.model_fields} - anchors(site, "reference/settings") == set()
