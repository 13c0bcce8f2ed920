"""The types of the public API: what the type checker must accept, and what it must refuse."""

import re
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from mypy import api

pytestmark = pytest.mark.extensive

HERE = Path(__file__).parent
REFUSED = re.compile(r"# refused: (?P<codes>[a-z, -]+)$")


@pytest.fixture(scope="module")
def errors() -> Mapping[str, Mapping[int, set[str]]]:
    """The error codes of the type checker by file and line."""
    files = ["accepted.py", "refused.py"]
    limit = sys.getrecursionlimit()  # mypy raises it, and does not put it back
    try:
        options = ["--strict", "--no-error-summary", "--hide-error-context"]
        report, messages, _ = api.run([*options, *(str(HERE / file) for file in files)])
    finally:
        sys.setrecursionlimit(limit)
    assert not messages
    found: dict[str, dict[int, set[str]]] = {file: {} for file in files}
    for line in report.splitlines():
        match = re.match(r".*?(?P<file>\w+\.py):(?P<line>\d+): error: .*\[(?P<code>[a-z-]+)\]$", line)
        if match:
            found[match["file"]].setdefault(int(match["line"]), set()).add(match["code"])
    return found


def test_valid_chains_are_accepted_with_the_right_types(errors: Mapping[str, Mapping[int, set[str]]]) -> None:
    assert errors["accepted.py"] == {}


def test_invalid_chains_are_refused_in_the_right_line(errors: Mapping[str, Mapping[int, set[str]]]) -> None:
    expected = {
        number: set(match["codes"].split(", "))
        for number, line in enumerate((HERE / "refused.py").read_text().splitlines(), start=1)
        if (match := REFUSED.search(line))
    }
    found = errors["refused.py"]
    assert sorted(found) == sorted(expected)
    for number, codes in expected.items():
        assert found[number] & codes, f"line {number}: {found[number]}"
