"""Help is complete, and is shown without importing what only a running command needs."""

import pytest
import typer

from eddyline.adapters.cli.commands.simulate import market
from eddyline.adapters.cli.main import Commands, app
from eddyline.adapters.container import Container
from tests.fixtures.commands import Eddyline
from tests.fixtures.imported_modules import imported_modules

HEAVY = {
    *("bokeh_sampledata", "confluent_kafka", "dependency_injector", "fastapi", "fastavro", "httpx", "numpy", "pandas", "py4j"),
    *("pyarrow", "pyspark", "structlog"),
}
NAMES = list(Commands.lazy_commands)


def imported(*words: str) -> set[str]:
    """Return the top-level modules that a command imports."""
    return imported_modules(("--help",), *((name, "--help") for name in NAMES))[words]


@pytest.mark.extensive
def test_the_list_of_commands_is_shown_without_settings_and_adapters() -> None:
    assert imported("--help") & (HEAVY | {"pydantic", "rich"}) == set()


@pytest.mark.extensive
@pytest.mark.parametrize("name", NAMES)
def test_the_help_of_a_command_imports_nothing_heavy(name: str) -> None:
    assert imported(name, "--help") & HEAVY == set()


@pytest.mark.parametrize("name", NAMES)
def test_a_line_of_the_list_is_the_first_sentence_of_the_commands_help(name: str) -> None:
    group = typer.main.get_command(app)
    command = group.get_command(typer.Context(group), name)  # type: ignore[attr-defined] # eddyline is a group
    first = " ".join(command.help.partition("\n\n")[0].split())
    assert Commands.lazy_commands[name].short_help == first


def test_the_version_of_eddyline_is_printed(eddyline: Eddyline) -> None:
    outcome = eddyline("--version")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith("eddyline ")


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["prodduce"], "no such command 'prodduce'; did you mean 'produce'?"),
        (["topolgy", "word-count"], "no such command 'topolgy'; did you mean 'topology'?"),
        (["run", "word-count", "--application"], "did you mean --application-id?"),
    ],
)
def test_one_name_is_offered_for_an_unknown_one(eddyline: Eddyline, words: list[str], hint: str) -> None:
    outcome = eddyline(*words)
    assert outcome.code == 2
    assert hint in outcome.err


def test_the_tickers_in_help_are_those_with_prices() -> None:
    assert market.TICKERS.split(", ") == list(Container.tickers())


@pytest.mark.parametrize("group", ["", "simulate", "services", "groups", "dead-letters"])
def test_lists_of_commands_have_whole_sentences(eddyline: Eddyline, group: str) -> None:
    listed = eddyline(*group.split(), "--help").out.partition("Commands:")[2]
    assert "..." not in listed
    assert all(line.endswith(".") for line in listed.strip().splitlines())
