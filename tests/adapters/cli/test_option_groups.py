"""Shared options: what help shows of them, and what commands get."""

from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from eddyline.adapters.cli.option_groups import OptionGroup, SettingOptions, option_groups
from tests.adapters.cli.conftest import Eddyline


@dataclass(frozen=True)
class Colours(OptionGroup):
    ink: Annotated[str, typer.Option(help="Write in this colour.")] = "black"
    paper: Annotated[str | None, typer.Option(help="Write on this colour.")] = None


@dataclass(frozen=True)
class Partitions(SettingOptions):
    num_partitions: Annotated[int | None, typer.Option(help="Create topics with this many partitions.")] = None
    create_topics: Annotated[bool | None, typer.Option("--create-topics", help="Create missing topics.")] = None


@pytest.fixture
def app() -> typer.Typer:
    app = typer.Typer(rich_markup_mode=None)

    @app.command()
    @option_groups
    def write(text: str, *, colours: Colours, times: int = 1, partitions: Partitions) -> None:
        """Write a text."""
        typer.echo(f"{text} {times} {colours} {partitions.given()}")

    return app


def test_the_fields_of_a_group_are_options_of_the_command(app: typer.Typer) -> None:
    outcome = CliRunner().invoke(app, ["hello", "--ink", "blue", "--times", "2"])
    assert outcome.output == "hello 2 Colours(ink='blue', paper=None) {}\n"


def test_help_shows_the_options_in_order_with_the_defaults_of_settings(app: typer.Typer) -> None:
    text = " ".join(CliRunner().invoke(app, ["--help"]).output.split())
    positions = [text.index(name) for name in ("--ink", "--paper", "--times", "--num-partitions", "--create-topics")]
    assert positions == sorted(positions)
    assert "Write in this colour. [default: black]" in text
    assert "Create topics with this many partitions. [default: 4]" in text


def test_a_setting_that_is_not_given_is_left_to_environment_and_file(app: typer.Typer) -> None:
    assert CliRunner().invoke(app, ["hello"]).output.endswith(" {}\n")
    words = ["hello", "--num-partitions", "4", "--create-topics"]
    assert CliRunner().invoke(app, words).output.endswith(" {'num_partitions': 4, 'create_topics': True}\n")


def test_an_option_overrides_the_environment_even_with_its_default(eddyline: Eddyline, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDDYLINE_LOG", "pigeons")
    assert "invalid value 'pigeons' for setting 'log' (from EDDYLINE_LOG)" in eddyline("simulate", "word-count").err
    assert eddyline("simulate", "word-count", "--log", "files", "--lines", "1").code == 0


def test_help_shows_effective_defaults(eddyline: Eddyline) -> None:
    text = " ".join(eddyline("run", "--help").out.split())
    for default in (
        "spark",
        "(the choice of the flow)",
        "timestamp",
        "files",
        "127.0.0.1:9092",
        "data",
        "(the name of the flow)",
    ):
        assert f"[default: {default}]" in text
