"""A group of commands whose modules are imported when a command is called, so that help and completion are shown at once."""

import importlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import typer
from typer.core import TyperGroup


class LazyCommand(NamedTuple):
    """Where a command is, as `MODULE:NAME` of a function or of a `typer.Typer`, and its line in the help of the group."""

    target: str
    short_help: str


class LazyGroup(TyperGroup):
    """A group that imports the module of a command when it is asked for the command; subclasses set `lazy_commands`."""

    lazy_commands: Mapping[str, LazyCommand] = {}

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = dict.fromkeys(self.lazy_commands)  # type: ignore[assignment] # the names that an unknown one is compared with

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the commands in the order of help."""
        del ctx
        return list(self.lazy_commands)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command, None if there is none of this name; its module is imported."""
        del ctx
        if cmd_name in self.lazy_commands and self.commands[cmd_name] is None:
            self.commands[cmd_name] = _load(cmd_name, self.lazy_commands[cmd_name].target)
        return self.commands.get(cmd_name)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list of commands without importing them."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.short_help) for name, command in self.lazy_commands.items()])

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """Return the completions of a command's name without importing the commands."""
        items = super(TyperGroup, self).shell_complete(ctx, incomplete)
        names = [name for name in self.lazy_commands if name.startswith(incomplete)]
        return [*(_completion(name, self.lazy_commands[name].short_help) for name in names), *items]


def _load(name: str, target: str) -> Any:
    module, _, attribute = target.partition(":")
    found = getattr(importlib.import_module(module), attribute)
    holder = typer.Typer(pretty_exceptions_enable=False, rich_markup_mode=None)
    if isinstance(found, typer.Typer):
        holder.add_typer(found, name=name)
    else:
        holder.command(name=name)(found)
    return typer.main.get_group(holder).commands[name]


def _completion(name: str, short_help: str) -> Any:
    from typer._click.shell_completion import CompletionItem  # noqa: PLC0415 - typer exports it nowhere, and help does not need it

    return CompletionItem(name, help=short_help)
