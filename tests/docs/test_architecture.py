"""ARCHITECTURE.md and the page that includes it name paths that exist; ARCHITECTURE.md names every package."""

import re
from pathlib import Path

import pytest

from tests.docs.pages import DOCS, ROOT

ARCHITECTURE = ROOT / "ARCHITECTURE.md"
PAGE = DOCS / "explanation/architecture.md"
CONTEXT = re.compile(r"^(domain|application/samples)/[a-z]+/$")
"""The packages that a row of the table names together."""


def paths(file: Path) -> set[str]:
    """Return the paths in a file that are marked as code."""
    names = re.findall(r"`([^`\s]+)`", file.read_text(encoding="utf-8"))
    return {name for name in names if "/" in name or name.endswith((".py", ".toml", ".md"))}


def packages() -> list[str]:
    """Return the packages of the tree, without the three that contain all others."""
    files = [file for name in ("domain", "application", "adapters") for file in (ROOT / name).glob("*/**/__init__.py")]
    return sorted(f"{file.parent.relative_to(ROOT)}/" for file in files)


@pytest.mark.parametrize("path", sorted(paths(ARCHITECTURE) | paths(PAGE)))
def test_a_path_exists(path: str) -> None:
    pattern = re.sub(r"<[a-z]+>", "*", path)
    found = list(ROOT.glob(pattern.rstrip("/")))
    assert any(each.is_dir() if pattern.endswith("/") else each.is_file() for each in found), f"{path} does not exist"


@pytest.mark.parametrize("package", packages())
def test_a_package_is_named(package: str) -> None:
    together = CONTEXT.sub(r"\1/<context>/", package)
    assert {package, together} & paths(ARCHITECTURE), f"{package} is missing"


def test_the_page_includes_the_file() -> None:
    assert '--8<-- "ARCHITECTURE.md"' in PAGE.read_text(encoding="utf-8")
