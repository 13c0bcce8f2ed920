"""Options have one name for one meaning in all commands, what changes state shows it first, and what prints facts prints JSON."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, Final

import pytest
import typer

from eddyline.adapters.cli.main import app

OTHER_NAMES: Final = {
    "--all-records": "--max-records",
    "--checkpoint": "--checkpoint-dir",
    "--count": "--max-records",
    "--dir": "--data-dir",
    "--end": "--to",
    "--json": "--format",
    "--module": "--flows",
    "--since": "--from",
    "--start-ms": "--start",
    "--topics": "--topic",
    "--until": "--to",
    "--yes": "--execute",
}
"""Names that an option could have, and the name that it has."""

WRITTEN_OTHERWISE: Final = {
    "--from": "'consume' starts at offsets, too",
    "--start": "'simulate' follows the days of a market, or starts at any time",
    "--to": "'compare' also goes to the end, or to what both topics have",
    "--topic": "'groups reset' takes partitions, too",
}
"""Options whose values are written in more than one way, and why."""

CHANGES: Final = {"reset", "rescale", "state import", "groups reset", "dead-letters redrive", "topics delete"}
"""Commands that change what is there, and cannot be undone."""

WITHOUT_FORMAT: Final = {
    "demo": "it shows a sample to people",
    "notify": "alerts are messages to people",
    "package": "it writes a file and names it",
    "prepare-spark": "it writes a file and names it",
    "replay": "it prints JSON alone",
    "rescale": "it says what it has done",
    "run": "its log is JSON with log.format=json",
    "up": "its log is JSON with log.format=json",
    "serve": "it answers over HTTP",
    "services down": "it says what it has done; 'services status' has the facts",
    "services env": "it prints lines for a shell",
    "services up": "it says what it has done; 'services status' has the facts",
    "state export": "it writes a file and names it",
    "state import": "it says what it has done",
    "topics create": "it says what it has done; 'topics describe' has the facts",
    "topics delete": "it says what it has done; 'topics list' has the facts",
}
"""Commands that print no facts for programs, and why; those of 'simulate' write records and say how many."""


def commands() -> Iterator[tuple[str, Any]]:
    """Yield each command with its name."""
    groups: list[tuple[str, Any]] = [("", typer.main.get_command(app))]
    while groups:
        path, command = groups.pop()
        if not hasattr(command, "list_commands"):
            yield path, command
            continue
        context = typer.Context(command)
        groups += [(f"{path} {name}".strip(), command.get_command(context, name)) for name in command.list_commands(context)]


COMMANDS: Final = dict(commands())


def options(command: Any) -> dict[str, Any]:
    """Return the options of a command by each of their long names."""
    names = {name: option for option in command.params for name in (*option.opts, *option.secondary_opts)}
    return {name: option for name, option in names.items() if name.startswith("--") and name != "--help"}


@pytest.mark.parametrize("name", COMMANDS)
def test_an_option_has_the_name_that_it_has_in_other_commands(name: str) -> None:
    found = options(COMMANDS[name])
    assert {other: OTHER_NAMES[other] for other in found if other in OTHER_NAMES} == {}


def test_an_option_means_the_same_in_all_commands() -> None:
    ways: dict[str, set[str]] = defaultdict(set)
    for command in COMMANDS.values():
        for name, option in options(command).items():
            ways[name].add("flag" if option.is_flag else option.metavar or "value")
    assert {name for name, written in ways.items() if len(written) > 1} == set(WRITTEN_OTHERWISE)


def test_times_are_written_alike() -> None:
    named = {"--from", "--to", "--as-of", "--timestamp", "--to-datetime", "--window-start"}
    written = {(name, option.metavar) for each in COMMANDS.values() for name, option in options(each).items() if name in named}
    assert all("TIME" in metavar for _, metavar in written)
    assert {name for name, _ in written} == named


@pytest.mark.parametrize("name", sorted(CHANGES))
def test_what_cannot_be_undone_is_shown_first(name: str) -> None:
    found = options(COMMANDS[name])
    assert found["--execute"] is found["--dry-run"]
    assert not found["--execute"].default


def test_no_other_command_takes_execute() -> None:
    assert {name for name, command in COMMANDS.items() if "--execute" in options(command)} == CHANGES


def test_facts_are_printed_as_json_too() -> None:
    without = {name for name, command in COMMANDS.items() if "--format" not in options(command)}
    assert {name for name in without if not name.startswith("simulate ")} == set(WITHOUT_FORMAT)
