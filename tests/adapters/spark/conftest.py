"""Fixtures for tests of the Spark engine."""

from pathlib import Path

import pytest

from tests.adapters.spark.running import Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path)
