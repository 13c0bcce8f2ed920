"""Every code block of the documentation does what its page says."""

import platform
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from confluent_kafka.admin import AdminClient

from eddyline.adapters.services.processes import free_port
from eddyline.adapters.spark.driver.java_options import java_options
from tests.docs.jars import jars_of, pom_of
from tests.docs.pages import DOCS, PageError, PageRunner, blocks, commands, front_matter, unsupported
from tests.docs.shared_processes import SharedJava
from tests.fixtures.forks.forked import fork_server
from tests.packaging.conftest import uv

PAGES = sorted(page for page in DOCS.rglob("*.md") if any(block.language in {"python", "console"} for block in blocks(page)))
COMPARED = "coming-from"
"""The folder of pages that run other systems beside Eddyline; they are slow."""
QUICK_SYSTEMS = {"stock-stats", "top-movers"}
"""Pages of sample flows that run in `make test`; those of all others do the same with more records."""
NOT_RUN = (
    "pip install",
    "python -m venv",
    "git clone",
    "cd ",
    "make ",
    "mvn ",
    "eddyline services",
    'eval "$(eddyline services',
    "docker ",
    "export EDDYLINE_SERVER_TOKEN",
    "kubectl ",
    "helm ",
    ". .venv",
)
"""What commands may begin with that are not executed: they install software, or start what tests start in their own way."""
MARKERS = {"spark": "spark", "own-spark": "spark", "services": "services", "maven": "services"}
"""The marker of the tests of pages with a need."""
OWN_SPARK = {"SPARK_SUBMIT_OPTS": java_options()}
"""Options that make a short Spark program start in half the time."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "page" in metafunc.fixturenames:
        runs = "environment" in metafunc.fixturenames
        pages = [pytest.param(page, id=str(page.relative_to(DOCS)), marks=_marks_of(page) if runs else ()) for page in PAGES]
        metafunc.parametrize("page", pages)


def _marks_of(page: Path) -> list[pytest.MarkDecorator]:
    """Return the marks of the test that runs the blocks of a page."""
    settings = front_matter(page)
    marks = [getattr(pytest.mark, MARKERS[need]) for need in settings.get("needs", []) if need in MARKERS]
    if "libraries" in settings:
        marks.append(pytest.mark.environments)
    compared = page.parent.name == COMPARED and page.stem != "index"
    long_tail = page.parent.name == "systems" and page.stem not in QUICK_SYSTEMS
    if settings.get("slow") or compared or long_tail:
        marks.append(pytest.mark.slow)
    return marks


@pytest.fixture
def supported(page: Path) -> None:
    """Skip a page whose libraries do not support this Python."""
    if reason := unsupported(page, platform.python_version()):
        pytest.skip(reason)


@pytest.fixture
def environment(page: Path, request: pytest.FixtureRequest) -> Iterator[dict[str, str]]:
    """The environment of a page's commands, with a broker and a registry where it needs them.

    The topics that the page creates are deleted at its end, so that pages may use the same names.
    """
    needs = front_matter(page).get("needs", [])
    spark = request.getfixturevalue("shared_java").variables if "spark" in needs else OWN_SPARK if "own-spark" in needs else {}
    if "port" in needs:
        port = free_port()
        spark = {**spark, "EDDYLINE_SERVER_PORT": str(port), "EDDYLINE_SERVER_URL": f"http://127.0.0.1:{port}"}
    if "services" not in needs:
        yield spark
        return
    broker, registry = request.getfixturevalue("kafka_broker"), request.getfixturevalue("schema_registry")
    admin = AdminClient({"bootstrap.servers": broker.bootstrap_servers})
    existing = set(admin.list_topics(timeout=120).topics)
    yield {
        **spark,
        "EDDYLINE_LOG": "kafka",
        "EDDYLINE_BOOTSTRAP_SERVERS": broker.bootstrap_servers,
        "EDDYLINE_SCHEMA_REGISTRY_URL": registry.url,
    }
    created = {topic for topic in admin.list_topics(timeout=120).topics if not topic.startswith("__")} - existing
    for deletion in (admin.delete_topics(list(created)) if created else {}).values():
        deletion.result()


@pytest.fixture(scope="module")
def shared_java(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedJava]:
    java = SharedJava(tmp_path_factory.mktemp("java") / "spark.log")
    yield java
    java.close()


@pytest.fixture
def after_command(page: Path, request: pytest.FixtureRequest) -> Callable[[], None]:
    """What is to be done after each command of a page: its session on Spark ends, so that the next command can start one."""
    if "spark" not in front_matter(page).get("needs", []):
        return lambda: None
    java: SharedJava = request.getfixturevalue("shared_java")
    return java.stop_session


@pytest.fixture
def forked() -> Path:
    """The folder with the scripts of the fork server."""
    return fork_server()


@pytest.fixture(scope="session")
def interpreters(tmp_path_factory: pytest.TempPathFactory) -> Callable[[list[str]], Path]:
    """Return a function that makes environments with other libraries, each combination once."""
    made: dict[tuple[str, ...], Path] = {}

    def interpreter(libraries: list[str]) -> Path:
        key = tuple(libraries)
        if key not in made:
            folder = tmp_path_factory.mktemp("libraries")
            uv("venv", "--quiet", "--clear", "--python", sys.executable, folder)
            uv("pip", "install", "--quiet", "--python", folder, *libraries)
            made[key] = folder / "bin/python"
        return made[key]

    return interpreter


@pytest.mark.extensive
@pytest.mark.usefixtures("supported")
def test_the_blocks_of_a_page_run(
    page: Path,
    environment: dict[str, str],
    after_command: Callable[[], None],
    forked: Path,
    interpreters: Callable[[list[str]], Path],
    tmp_path: Path,
) -> None:
    settings = front_matter(page)
    libraries = settings.get("libraries", [])
    if "maven" in settings.get("needs", []):
        (tmp_path / "libs").symlink_to(jars_of(pom_of(page)))
    python = interpreters(libraries) if libraries else None
    PageRunner(page, tmp_path, environment, forked, python=python, after_command=after_command).run()


def test_only_commands_that_a_test_must_not_run_are_not_run(page: Path) -> None:
    for block in blocks(page):
        if "norun" in block.attributes:
            assert block.attributes["norun"], f"{page}:{block.line} gives no reason"
            for command in commands(block):
                assert command.text.startswith(NOT_RUN), f"{page}:{block.line}: `{command.text}` must run"


def test_a_page_is_skipped_only_on_versions_of_python_that_its_libraries_do_not_support(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text('---\nlibraries: [bytewax==0.21.1]\npython: "<3.13"\n---\n')
    assert not unsupported(page, "3.12.9")
    assert unsupported(page, "3.13.0") == "bytewax==0.21.1 has wheels for Python <3.13 only"
    page.write_text("---\nlibraries: [quixstreams==3.28.1]\n---\n")
    assert not unsupported(page, "3.14.0")


PAGE = r"""
```python title="made.py"
number = 40
```

```python
import made
total = made.number + 1
```

```python
assert total == 41
```

```console
$ printf 'one\ntwo 2 three\nfour\n'
...
two ... three
...
$ python -c 'import made; print(made.number)'
40
$ exit 3 # exits with 3
```
"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("```python\nassert 1 == 2\n```\n", "page.md:2: the Python block fails"),
        ("```console\n$ false\n```\n", "`false` exits with 1"),
        ("```console\n$ printf 'a\\nb\\n'\na\nc\n```\n", "prints:\na\nb"),
        ("```console\n$ printf 'a\\nb\\n'\n...\na\n```\n", "but the page says"),
    ],
)
@pytest.mark.extensive
def test_a_block_that_does_not_do_what_it_says_is_found(forked: Path, tmp_path: Path, text: str, message: str) -> None:
    page = tmp_path / "page.md"
    page.write_text(text)
    with pytest.raises(PageError) as raised:
        PageRunner(page, tmp_path, {}, forked).run()
    assert message in str(raised.value)


def test_files_python_and_commands_share_a_folder_and_outputs_may_be_abridged(forked: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    PageRunner(page, tmp_path, {}, forked).run()
