"""Spark starts with the archive of its Java classes as soon as there is one."""

import os
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

from eddyline.adapters.spark.driver import java_options
from tests.fixtures.commands import Eddyline

pytestmark = pytest.mark.xdist_group("spark")


@pytest.mark.spark
@pytest.mark.slow
def test_the_command_creates_an_archive_with_which_spark_starts(eddyline: Eddyline, request: pytest.FixtureRequest) -> None:
    outcome = eddyline("prepare-spark")
    assert (outcome.code, outcome.out) == (0, "")
    assert str(java_options.archive_file()) in outcome.err
    assert "exists already" in eddyline("prepare-spark").err
    java: Any = request.getfixturevalue("spark").sparkContext._jvm  # noqa: SLF001 - the only way to ask Java
    arguments = list(java.java.lang.management.ManagementFactory.getRuntimeMXBean().getInputArguments())
    options = shlex.split(java_options.java_options())
    assert f"-XX:SharedArchiveFile={java_options.archive_file()}" in options
    assert set(options) <= set(arguments)
    required = ["-Xshare:on", *options, "-cp", java.java.lang.System.getProperty("java.class.path"), "-version"]
    home = java.java.lang.System.getProperty("java.home")
    done = subprocess.run([f"{home}/bin/java", *required], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_without_an_archive_java_gets_no_option_for_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(java_options, "user_cache_path", tmp_path.joinpath)
    assert java_options.java_options() == java_options.JAVA_OPTIONS
    file = java_options.archive_file()
    assert file.is_relative_to(tmp_path)
    file.parent.mkdir()
    file.touch()
    assert java_options.java_options().endswith(f'"-XX:SharedArchiveFile={file}"')


def test_another_java_has_another_archive(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    first = java_options.archive_file()
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert java_options.archive_file() != first


def test_jars_that_are_installed_again_have_another_archive(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    jar = tmp_path / "jars" / "spark.jar"
    jar.parent.mkdir()
    jar.write_bytes(b"classes")
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    monkeypatch.setattr(java_options, "user_cache_path", tmp_path.joinpath)
    first = java_options.archive_file()
    assert java_options.archive_file() == first
    first.parent.mkdir()
    first.touch()
    first.with_name("spark-4.3.0-of-another-place.jsa").touch()
    assert java_options.outdated_archives() == []
    os.utime(jar, (0, 0))
    assert java_options.archive_file() != first
    assert java_options.outdated_archives() == [first]
