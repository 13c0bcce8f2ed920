"""The types of the public API: what the type checker must accept, and what it must refuse."""

import re
import sys
from pathlib import Path

import pytest
from mypy import api

pytestmark = pytest.mark.extensive

HERE = Path(__file__).parent
REFUSED = re.compile(r"# refused: (?P<codes>[a-z, -]+)$")


def errors_of(file: str) -> dict[int, set[str]]:
    """Return the error codes of the type checker by line."""
    limit = sys.getrecursionlimit()  # mypy raises it, and does not put it back
    try:
        report, messages, _ = api.run(["--strict", "--no-error-summary", "--hide-error-context", str(HERE / file)])
    finally:
        sys.setrecursionlimit(limit)
    assert not messages
    found: dict[int, set[str]] = {}
    for line in report.splitlines():
        match = re.match(rf".*{re.escape(file)}:(?P<line>\d+): error: .*\[(?P<code>[a-z-]+)\]$", line)
        if match:
            found.setdefault(int(match["line"]), set()).add(match["code"])
    return found


def test_valid_chains_are_accepted_with_the_right_types() -> None:
    assert errors_of("accepted.py") == {}


def test_invalid_chains_are_refused_in_the_right_line() -> None:
    expected = {
        number: set(match["codes"].split(", "))
        for number, line in enumerate((HERE / "refused.py").read_text().splitlines(), start=1)
        if (match := REFUSED.search(line))
    }
    found = errors_of("refused.py")
    assert sorted(found) == sorted(expected)
    for number, codes in expected.items():
        assert found[number] & codes, f"line {number}: {found[number]}"
