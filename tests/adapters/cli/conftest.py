import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeAlias

import pytest

from adapters.cli.main import run


class Outcome(NamedTuple):
    code: int
    out: str
    err: str


Eddyline: TypeAlias = Callable[..., Outcome]


@pytest.fixture
def eddyline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Eddyline:
    """Runs the command with these words in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))

    def call(*words: str | Path) -> Outcome:
        code = run([str(word) for word in words])
        return Outcome(code, *capfd.readouterr())

    return call
