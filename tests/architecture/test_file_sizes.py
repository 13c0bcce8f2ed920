"""Files are small, so that each has one reason to change."""

from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parents[2]
_ROOMS = ("domain", "application", "adapters", "eddyline", "features", "tests", "examples", "benchmarks", "docs")
_SUFFIXES = {".py", ".feature", ".js", ".css"}
_MAX_LINES = 300


@pytest.mark.parametrize("room", _ROOMS)
def test_no_file_has_more_than_300_lines(room: str) -> None:
    files = [path for path in (_ROOT / room).rglob("*") if path.suffix in _SUFFIXES]
    assert files
    long = {str(path.relative_to(_ROOT)) for path in files if len(path.read_text(encoding="utf-8").splitlines()) > _MAX_LINES}
    assert not long
