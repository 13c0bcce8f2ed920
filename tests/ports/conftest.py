from pathlib import Path

import pytest

from tests.ports.places import FilesPlace, MemoryPlace, Place


@pytest.fixture(params=["memory", "files"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    return MemoryPlace() if request.param == "memory" else FilesPlace(tmp_path / "topics")
