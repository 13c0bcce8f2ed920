"""Each sample flow has a page, which leads from the problem to the answer why; patterns and overviews name the flows."""

import re
import runpy
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from eddyline import Flow
from eddyline.application.samples.catalogue import FLOWS
from tests.docs.pages import DOCS, ROOT, blocks, commands

SYSTEMS = DOCS / "systems"
INCLUDES = ("topology", "feature", "source")
NAMES = [flow.name for flow in FLOWS]


@pytest.fixture(scope="module")
def included() -> Iterator[Callable[[str], str]]:
    """The function of the site that replaces what a page includes."""
    pytest.importorskip("mkdocs", reason="the extra docs is not installed")
    sys.path.insert(0, str(DOCS))
    yield runpy.run_path(str(DOCS / "hooks.py"))["included"]
    sys.path.remove(str(DOCS))


def shown(page: Path, language: str) -> list[str]:
    """Return the lines of all blocks of a language."""
    return [line for block in blocks(page) if block.language == language for line in block.content.splitlines()]


def test_each_flow_has_a_page() -> None:
    assert sorted(page.stem for page in SYSTEMS.glob("*.md")) == sorted(["index", *NAMES])


@pytest.mark.parametrize("flow", FLOWS, ids=NAMES)
def test_a_page_says_how_to_run_ask_and_explain_its_flow(flow: Flow) -> None:
    name = flow.name
    page = SYSTEMS / f"{name}.md"
    typed = [command.text for block in blocks(page) if block.language == "console" for command in commands(block)]
    has_stores = "stores: [" in re.sub(r"stores: \[\]", "", flow.topology().describe())
    asked = "eddyline query " if has_stores else "eddyline consume "
    for beginning in (f"eddyline run {name} ", asked, f"eddyline why {name} "):
        assert any(text.startswith(beginning) for text in typed), f"no command of the page begins with '{beginning}'"
    assert shown(page, "topology") == [name]
    assert shown(page, "feature")
    assert any(line.startswith("domain/") for line in shown(page, "source"))
    assert "## What to change" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("page", sorted([*SYSTEMS.glob("*.md"), *(DOCS / "patterns").glob("*.md")]), ids=lambda page: page.stem)
def test_what_a_page_includes_exists(page: Path, included: Callable[[str], str]) -> None:
    text = included(page.read_text(encoding="utf-8"))
    assert not re.search(rf"^```({'|'.join(INCLUDES)})$", text, re.MULTILINE)


def test_what_does_not_exist_cannot_be_included(included: Callable[[str], str]) -> None:
    for line, error in (
        ("topology\nstok-stats", "did you mean 'stock-stats'"),
        ("feature\nfeatures/none.feature", "features/none.feature, which does not exist"),
        ("source\ndomain/text/line.py Lines", "does not define 'Lines'"),
    ):
        with pytest.raises(Exception, match=error):
            included(f"```{line}\n```\n")


def test_definitions_are_shown_with_their_decorators(included: Callable[[str], str]) -> None:
    text = included("```source\ndomain/text/line.py Line.words\n```\n")
    assert "def words(" in text
    assert "class Line" not in text
    assert "@value\nclass Line" in included("```source\ndomain/text/line.py Line\n```\n")


@pytest.mark.parametrize("page", ["README.md", "docs/index.md", "docs/systems/index.md"])
def test_overviews_name_each_flow(page: str) -> None:
    linked = re.findall(r"\[`([a-z0-9-]+)`\]\(", (ROOT / page).read_text(encoding="utf-8"))
    assert sorted(name for name in linked if name in NAMES) == sorted(NAMES)


def test_the_overview_of_systems_has_their_summaries() -> None:
    rows = set((SYSTEMS / "index.md").read_text(encoding="utf-8").splitlines())
    assert {f"| [`{flow.name}`]({flow.name}.md) | {flow.summary} |" for flow in FLOWS} - rows == set()


def test_each_flow_is_an_example_of_a_pattern_and_each_pattern_says_when_not_to_use_it() -> None:
    pages = {page.stem: page.read_text(encoding="utf-8") for page in (DOCS / "patterns").glob("*.md") if page.stem != "index"}
    assert len(pages) == 7
    assert [name for name in NAMES if not any(f"systems/{name}.md" in text for text in pages.values())] == []
    assert [name for name, text in pages.items() if "## The flow here" not in text or "## When not to use it" not in text] == []
