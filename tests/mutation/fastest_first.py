"""The conftest of a workspace of mutmut: the tests of a mutant run fastest first, so that most mutants are killed at once."""

import json
from pathlib import Path

import pytest

_STATS = Path("mutmut-stats.json")
"""Where mutmut keeps how long each test takes, in the folder in which it runs the tests."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sort the tests by their durations, if these are known."""
    if _STATS.exists():
        seconds = json.loads(_STATS.read_text())["duration_by_test"]
        items.sort(key=lambda item: seconds.get(item.nodeid, 0.0))
