"""Every code block of the documentation does what its page says."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from confluent_kafka.admin import AdminClient

from tests.docs.jars import jars_of, pom_of
from tests.docs.pages import DOCS, PageError, PageRunner, blocks, commands, front_matter
from tests.packaging.conftest import uv

PAGES = sorted(page for page in DOCS.rglob("*.md") if any(block.language in {"python", "console"} for block in blocks(page)))
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
    "kubectl ",
    ". .venv",
)
"""What commands may begin with that are not executed: they install software, or start what tests start in their own way."""
MARKERS = {"spark": "spark", "services": "services", "maven": "services"}
"""The marker of the tests of pages with a need."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "page" in metafunc.fixturenames:
        parameters = []
        for page in PAGES:
            needs = front_matter(page).get("needs", [])
            marks = [getattr(pytest.mark, MARKERS[need]) for need in needs]
            parameters.append(pytest.param(page, id=str(page.relative_to(DOCS)), marks=marks))
        metafunc.parametrize("page", parameters)


@pytest.fixture
def environment(page: Path, request: pytest.FixtureRequest) -> Iterator[dict[str, str]]:
    """The environment of a page's commands, with a broker and a registry where it needs them.

    The topics that the page creates are deleted at its end, so that pages may use the same names.
    """
    if "services" not in front_matter(page).get("needs", []):
        yield {}
        return
    broker, registry = request.getfixturevalue("kafka_broker"), request.getfixturevalue("schema_registry")
    admin = AdminClient({"bootstrap.servers": broker.bootstrap_servers})
    existing = set(admin.list_topics(timeout=30).topics)
    yield {
        "EDDYLINE_LOG": "kafka",
        "EDDYLINE_BOOTSTRAP_SERVERS": broker.bootstrap_servers,
        "EDDYLINE_SCHEMA_REGISTRY_URL": registry.url,
    }
    created = {topic for topic in admin.list_topics(timeout=30).topics if not topic.startswith("__")} - existing
    for deletion in (admin.delete_topics(list(created)) if created else {}).values():
        deletion.result()


@pytest.fixture(scope="session")
def interpreters(tmp_path_factory: pytest.TempPathFactory) -> Callable[[list[str]], Path]:
    """Return a function that makes environments with other libraries, each combination once."""
    made: dict[tuple[str, ...], Path] = {}

    def interpreter(libraries: list[str]) -> Path:
        key = tuple(libraries)
        if key not in made:
            folder = tmp_path_factory.mktemp("libraries")
            uv("venv", "--quiet", "--clear", folder)
            uv("pip", "install", "--quiet", "--python", folder, *libraries)
            made[key] = folder / "bin/python"
        return made[key]

    return interpreter


def test_the_blocks_of_a_page_run(
    page: Path, environment: dict[str, str], interpreters: Callable[[list[str]], Path], tmp_path: Path
) -> None:
    settings = front_matter(page)
    libraries = settings.get("libraries", [])
    if "maven" in settings.get("needs", []):
        (tmp_path / "libs").symlink_to(jars_of(pom_of(page)))
    PageRunner(page, tmp_path, environment, interpreters(libraries) if libraries else None).run()


def test_only_commands_that_a_test_must_not_run_are_not_run(page: Path) -> None:
    for block in blocks(page):
        if "norun" in block.attributes:
            assert block.attributes["norun"], f"{page}:{block.line} gives no reason"
            for command in commands(block):
                assert command.text.startswith(NOT_RUN), f"{page}:{block.line}: `{command.text}` must run"


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
def test_a_block_that_does_not_do_what_it_says_is_found(tmp_path: Path, text: str, message: str) -> None:
    page = tmp_path / "page.md"
    page.write_text(text)
    with pytest.raises(PageError) as raised:
        PageRunner(page, tmp_path, {}).run()
    assert message in str(raised.value)


def test_files_python_and_commands_share_a_folder_and_outputs_may_be_abridged(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    PageRunner(page, tmp_path, {}).run()
