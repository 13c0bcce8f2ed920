"""The jars of a page's Java program are downloaded once, and an error says what is missing."""

from pathlib import Path

import pytest

from eddyline.adapters.services.errors import DownloadError, MissingToolError
from tests.docs.jars import jars_of, pom_of
from tests.docs.pages import PageError

POM = "<project/>\n"
COPY = r"""#!/bin/sh
echo run >> "$(dirname "$0")/runs"
for word; do case $word in -DoutputDirectory=*) libs=${word#*=} ;; esac; done
mkdir "$libs" && touch "$libs/a.jar"
"""


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which `mvn` is looked for first; it copies one jar."""
    folder = tmp_path / "tools"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder), prepend=":")
    install(folder, COPY)
    return folder


def install(folder: Path, script: str) -> None:
    maven = folder / "mvn"
    maven.write_text(script)
    maven.chmod(0o755)


def test_the_project_of_a_page_is_its_pom(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f'```xml title="pom.xml"\n{POM}```\n')
    assert pom_of(page) == POM


def test_a_page_that_needs_maven_must_have_a_pom(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("No project.\n")
    with pytest.raises(PageError, match=r'has no block with title="pom\.xml"'):
        pom_of(page)


def test_jars_are_downloaded_once_for_each_project(tools: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    libs = jars_of(POM, cache)
    assert [jar.name for jar in libs.iterdir()] == ["a.jar"]
    assert jars_of(POM, cache) == libs
    assert jars_of("<project>other</project>\n", cache) != libs
    assert (tools / "runs").read_text().splitlines() == ["run", "run"]


def test_the_output_of_a_failed_download_is_in_the_error_and_nothing_is_kept(tools: Path, tmp_path: Path) -> None:
    install(tools, "#!/bin/sh\necho 'no such artifact'\nexit 1\n")
    with pytest.raises(DownloadError, match="no such artifact"):
        jars_of(POM, tmp_path / "cache")
    assert [file.name for file in (tmp_path / "cache").iterdir()] == ["docs.lock"]


def test_without_maven_the_error_says_how_to_install_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingToolError, match="apt-get install maven"):
        jars_of(POM, tmp_path / "cache")
