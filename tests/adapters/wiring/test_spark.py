import os
from pathlib import Path

import pytest

from eddyline.adapters.wiring.spark import check_spark


def java(folder: Path, version: str) -> Path:
    """Make a Java home with a runtime of this version."""
    runtime = folder / "bin/java"
    runtime.parent.mkdir(parents=True)
    runtime.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n")
    runtime.chmod(0o755)
    return folder


@pytest.mark.parametrize("home", ["none", "old"])
def test_java_home_is_replaced_if_spark_cannot_run_on_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: str) -> None:
    java(tmp_path / "old", "11.0.2")
    new = java(tmp_path / "new", "17.0.9")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / home))
    monkeypatch.setenv("PATH", str(new / "bin"), prepend=":")
    check_spark()
    assert Path(os.environ["JAVA_HOME"]) == new


def test_java_home_stays_if_spark_can_run_on_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = java(tmp_path / "home", "21.0.1")
    monkeypatch.setenv("JAVA_HOME", str(home))
    check_spark()
    assert os.environ["JAVA_HOME"] == str(home)
