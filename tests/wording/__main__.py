"""Refuses the phrases of words.toml in every text file of the project: `python -m tests.wording`."""

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
WORDS = Path(__file__).with_name("words.toml")
_TEXTS = {".py", ".md", ".feature", ".toml", ".yml", ".yaml", ".xml", ".ipynb", ""}
_LEFT_OUT = ("tests/conformance/cases/", "LICENSE", "tests/wording/")


class Finding(NamedTuple):
    """A phrase that is refused: where it is, and what to say instead."""

    file: Path
    line: int
    phrase: str
    instead: str


def phrases() -> list[tuple[re.Pattern[str], str]]:
    """Return the refused phrases, and what to say instead."""
    table: dict[str, str] = tomllib.loads(WORDS.read_text(encoding="utf-8"))["instead"]
    return [(re.compile(rf"\b(?:{phrase})\b".replace(" ", r"\s+"), re.IGNORECASE), instead) for phrase, instead in table.items()]


def findings(file: Path, text: str) -> Iterator[Finding]:
    """Yield the refused phrases in a text; identifiers are read as words."""
    words = text.replace("_", " ")
    for pattern, instead in phrases():
        for match in pattern.finditer(words):
            yield Finding(file, words.count("\n", 0, match.start()) + 1, match[0], instead)


def texts() -> Iterator[Path]:
    """Yield the text files that git knows."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)  # noqa: S607 - any git
    for name in listed.stdout.splitlines():
        file = ROOT / name
        if file.suffix in _TEXTS and not name.startswith(_LEFT_OUT) and file.is_file() and not file.is_symlink():
            yield file


def main() -> int:
    """Print the findings; return 1 if there are any."""
    found = [finding for file in texts() for finding in findings(file, file.read_text(encoding="utf-8"))]
    for file, line, phrase, instead in found:
        print(f"{file.relative_to(ROOT)}:{line}: {' '.join(phrase.split())!r}: say {instead}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
