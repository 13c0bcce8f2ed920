"""The page of all commands, which describe themselves."""

import re
from collections.abc import Iterator
from typing import Any

import typer

from eddyline.adapters.cli.main import app
from eddyline.adapters.settings import Settings

_COMMANDS_INTRODUCTION = """\
`eddyline COMMAND --help` prints what this page says about a command. An option that names a setting takes precedence over the
environment and the settings file. `--set NAME=VALUE` sets any other of the [settings](settings.md).

The exit code is 0 for success, 1 for a failure and 2 for invalid arguments or settings. An error is one line on standard error;
`eddyline --traceback COMMAND` prints the Python traceback as well.
"""

SETTING = re.compile(r"\s*Setting: ([a-z.]+)\.")
"""Where the help of an option names its setting."""
_OPTION = re.compile(r"(?<![\w`-])--[a-z][a-z-]*(?:(?<=--log) kafka\b|(?<=--engine) memory\b)?(?![\w`])")
_DETAILS = re.compile(r"\s+\[([^\[\]]+)\]$")


def commands_page() -> str:
    """Return the page of all commands with their arguments and options."""
    command, context = root()
    lines = ["# Commands", "", command.help or "", "", _COMMANDS_INTRODUCTION]
    for name in command.list_commands(context):
        lines += _command(command.get_command(context, name), context, name, level=2)
    return "\n".join(lines)


def root() -> tuple[Any, Any]:
    """Return the command `eddyline` and its context."""
    command = typer.main.get_command(app)
    return command, typer.Context(command, info_name="eddyline")


def _command(command: Any, parent: Any, name: str, *, level: int) -> Iterator[str]:
    """Yield the lines about a command, then those about its subcommands."""
    context = typer.Context(command, info_name=name, parent=parent)
    words = context.command_path.split()
    yield from (f"{'#' * level} {' '.join(words)}", "", _paragraphs(command.help), "")
    subcommands = command.list_commands(context) if hasattr(command, "list_commands") else []
    if not subcommands:
        pieces = [piece.strip("{}") for piece in command.collect_usage_pieces(context)]
        yield from ("```text", " ".join([*words, *pieces]), "```", "")
    for kind, title in (("argument", "Arguments"), ("option", "Options")):
        entries = [_parameter(each, context) for each in command.params if each.param_type_name == kind]
        if entries and not subcommands:
            yield from (f"**{title}**", "", *entries, "")
    for subcommand in subcommands:
        yield from _command(command.get_command(context, subcommand), context, subcommand, level=level + 1)


def _parameter(parameter: Any, context: Any) -> str:
    """Return the entry of an argument or option: its names, what it does, its default and its setting."""
    names, text = parameter.get_help_record(context)
    details = _DETAILS.search(text)
    text, setting = _DETAILS.sub("", text), SETTING.search(text)
    text = SETTING.sub("", text)
    for detail in details[1].split("; ") if details else ():
        if detail.startswith("default: "):
            default = detail.removeprefix("default: ")
            text += f" Default: {default[1:-1] if default.startswith('(') else f'`{default}`'}."
        elif detail.startswith("env var: "):
            text += f" Environment: `{detail.removeprefix('env var: ')}`."
        elif detail == "required":
            text += " Required."
        else:
            text += f" Range: `{detail}`."
    if setting:
        text += f" Setting: [`{setting[1]}`](settings.md#{_anchor(setting[1])})."
    return f"- `{_plain_names(names)}`: {_with_code(text)}"


def _plain_names(names: str) -> str:
    """Return the names of a parameter, without the Python type of a text."""
    return names.removesuffix(" <str>").removesuffix(" <list[str]>")


def _paragraphs(text: str | None) -> str:
    """Return the paragraphs of a docstring, each in one line."""
    return "\n\n".join(_with_code(" ".join(part.split())) for part in (text or "").split("\n\n"))


def _with_code(text: str) -> str:
    """Return a help text with its options marked as code."""
    return _OPTION.sub(r"`\g<0>`", text)


def _anchor(setting: str) -> str:
    """Return the anchor of a setting on its page, for an entry of a table that of the table."""
    fields = {field.replace("_", "."): field for field in Settings.model_fields}
    if setting in fields:
        return setting
    return next((name for name in fields if setting.startswith(f"{name}.")), "kafka")
