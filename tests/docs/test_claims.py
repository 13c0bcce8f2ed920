"""What the docs say that Eddyline refuses or cannot do is shown by a test, so that no such sentence outlives its reason.

`claims.toml` has a part of each sentence and the test. The records of decisions argue with what was true when they were taken, so
they are left out.
"""

import re
import tomllib
from pathlib import Path

import pytest

from tests.docs.pages import DOCS, ROOT

LIMIT = re.compile(
    r"\b(not available|not supported|(do|does) not support|not implemented|only on Spark|only with the engines?|must be reset|"
    r"(is|are|be) refused|refuses|cannot(?! be decoded))\b",
    re.IGNORECASE,
)
CLAIMS: dict[str, dict[str, str]] = tomllib.loads(Path(__file__).with_name("claims.toml").read_text(encoding="utf-8"))
_NO_TEXT = re.compile(r"\A---\n.*?\n---\n|^```.*?^```$|^#.*?$", re.DOTALL | re.MULTILINE)
_PARAGRAPH = re.compile(r"\n\s*\n|\n(?=[-*|] ?)")
_SENTENCE = re.compile(r"(?<=[.!?:;]) ")


def sentences(text: str) -> list[str]:
    """Return the sentences of a page that say what Eddyline refuses or cannot do, without those in code blocks and headings."""
    paragraphs = (" ".join(paragraph.split()) for paragraph in _PARAGRAPH.split(_NO_TEXT.sub("", text)))
    return [sentence for paragraph in paragraphs for sentence in _SENTENCE.split(paragraph) if LIMIT.search(sentence)]


def pages() -> dict[str, str]:
    """Return the text of each page by its path."""
    files = [*DOCS.rglob("*.md"), ROOT / "README.md", ROOT / "SECURITY.md"]
    shown = sorted(file for file in files if "decisions" not in file.parts)
    return {file.relative_to(ROOT).as_posix(): file.read_text(encoding="utf-8") for file in shown}


PAGES = pages()


@pytest.mark.parametrize("page", PAGES)
def test_a_sentence_about_a_limit_has_a_test(page: str) -> None:
    found = sentences(PAGES[page])
    without = [sentence for sentence in found if not any(part in sentence for part in CLAIMS.get(page, ()))]
    assert not without, f"name the test of each of these sentences in claims.toml, or mend them: {without}"


def test_every_claim_is_in_its_page() -> None:
    gone = [
        (page, part)
        for page, claims in CLAIMS.items()
        for part in claims
        if not any(part in each for each in sentences(PAGES[page]))
    ]
    assert not gone


@pytest.mark.parametrize("test", sorted({test for claims in CLAIMS.values() for test in claims.values()}))
def test_the_test_of_a_claim_exists(test: str) -> None:
    file, _, name = test.partition("::")
    assert re.search(rf"^\s*(async )?def {name}\(", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE)


def test_a_sentence_is_found_across_lines_and_not_in_code() -> None:
    text = "# It cannot\n\nIt reads topics. It\ncannot write:\n\n```text\nit cannot\n```\n- refused; what is refused is lost\n"
    assert sentences(text) == ["It cannot write:", "what is refused is lost"]
