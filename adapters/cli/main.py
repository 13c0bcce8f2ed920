"""The command `eddyline` and its subcommands."""

import atexit
import gc
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from eddyline.adapters.cli.errors import BEGIN_AGAIN, LEFT, guarded
from eddyline.adapters.cli.lazy_group import LazyCommand, LazyGroup
from eddyline.adapters.cli.log_context import end_log
from eddyline.adapters.cli.printable import echo

_HELP = "Run event-processing flows with the semantics of Kafka Streams, in memory, in one process or on Spark."
_TRACEBACK = "--traceback"
_COMMANDS = "eddyline.adapters.cli.commands"
_GROUPS = frozenset({"simulate", "services", "groups", "topics", "dead-letters", "state"})


class Commands(LazyGroup):
    """The subcommands of `eddyline`; their lines in its help are the first sentences of their own."""

    lazy_commands = {  # noqa: RUF012 - a table of the class
        "flows": LazyCommand(f"{_COMMANDS}.flows:flows", "List the flows with their topics and settings."),
        "topology": LazyCommand(f"{_COMMANDS}.topology:app", "Print the topology of a flow: operators, stores, topics."),
        "asyncapi": LazyCommand(f"{_COMMANDS}.asyncapi:asyncapi", "Print the AsyncAPI document of a flow: topics and schemas."),
        "run": LazyCommand(f"{_COMMANDS}.run:run", "Run flows on Spark, in this process, or in memory."),
        "up": LazyCommand(f"{_COMMANDS}.up:up", "Run the flows of a service in one process."),
        "serve": LazyCommand(f"{_COMMANDS}.serve:serve", "Answer queries of the state of flows over HTTP."),
        "query": LazyCommand(f"{_COMMANDS}.query:query", "Print rows of a state store, from a query server."),
        "status": LazyCommand(f"{_COMMANDS}.status:status", "Show the run and the state stores of a query server."),
        "top": LazyCommand(f"{_COMMANDS}.top:top", "Watch a running flow through its server."),
        "why": LazyCommand(f"{_COMMANDS}.why:why", "Show which input records a result was made of."),
        "reset": LazyCommand(f"{_COMMANDS}.reset:reset", "Delete the state of a flow so that it starts over."),
        "state": LazyCommand(f"{_COMMANDS}.state:app", "Move the state of a flow to another engine or version."),
        "rescale": LazyCommand(f"{_COMMANDS}.rescale:rescale", "Change the number of tasks of a flow that has state."),
        "compare": LazyCommand(f"{_COMMANDS}.compare:compare_topics", "Compare two topics as tables."),
        "replay": LazyCommand(f"{_COMMANDS}.replay:replay", "Replay recorded test cases through their topologies."),
        "notify": LazyCommand(f"{_COMMANDS}.notify:notify", "Send each alert in a topic once."),
        "demo": LazyCommand(f"{_COMMANDS}.demo:demo", "Run the sample flow stock-stats over simulated trades."),
        "produce": LazyCommand(f"{_COMMANDS}.produce:produce", "Write records to a topic."),
        "consume": LazyCommand(f"{_COMMANDS}.consume:consume", "Read records from a topic and print them."),
        "simulate": LazyCommand(f"{_COMMANDS}.simulate:app", "Write simulated events as input for the sample flows."),
        "services": LazyCommand(f"{_COMMANDS}.services:app", "Manage a local Kafka broker and schema registry."),
        "package": LazyCommand(f"{_COMMANDS}.package:package", "Create an archive with what executors of a cluster need."),
        "prepare-spark": LazyCommand(
            f"{_COMMANDS}.prepare_spark:prepare_spark", "Archive Spark's Java classes, so that Spark starts faster."
        ),
        "topics": LazyCommand(f"{_COMMANDS}.topics:app", "List, describe, create and delete topics."),
        "groups": LazyCommand(f"{_COMMANDS}.groups:app", "List, describe and reset Kafka consumer groups."),
        "dead-letters": LazyCommand(f"{_COMMANDS}.dead_letters:app", "List, show and redrive the dead letters of a flow."),
    }


app = typer.Typer(
    name="eddyline",
    help=_HELP,
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:  # noqa: FBT001 - typer passes the value of the option
    if wanted:
        from importlib.metadata import version  # noqa: PLC0415 - only this option needs it

        echo(f"eddyline {version('eddyline')}")
        raise typer.Exit


@app.callback(help=_HELP)
def options(
    *,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version of Eddyline and exit.", callback=_show_version, is_eager=True)
    ] = False,
    traceback: Annotated[bool, typer.Option(_TRACEBACK, help="Print the Python traceback of an error.")] = False,
) -> None:
    """Declare the options of the command itself."""
    del version, traceback


def run(words: Sequence[str]) -> int:
    """Run the command with these arguments and return its exit code: 0, 1 for a failure, 2 for invalid arguments."""
    end = words.index("--") if "--" in words else len(words)
    options = [word for word in words[:end] if word != _TRACEBACK]  # also after the command
    arguments = _with_help([*options, *words[end:]])
    end_log()
    try:
        return guarded(lambda: app(arguments, prog_name="eddyline", standalone_mode=False), traceback=len(options) < end)
    finally:
        end_log()


def _with_help(words: list[str]) -> list[str]:
    """Return the arguments, with `--help` for a group of commands without a command."""
    return [*words, "--help"] if not words or (len(words) == 1 and words[0] in _GROUPS) else words


def main() -> None:
    """Run the command with the arguments of the process; only the owner can read the files that it and its processes create."""
    again = _Again()
    atexit.register(again)  # first, so that it is called last
    os.umask(os.umask(0o077) | 0o077)
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # the process was started with this stream closed
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - until the process ends
    gc.set_threshold(50_000, 20, 20)  # commands make many objects and few cycles; searches for them take a third of a simulation
    atexit.register(gc.freeze)  # so that the interpreter does not search all modules for garbage when it ends
    code = run(sys.argv[1:])
    again.is_wanted = code == BEGIN_AGAIN
    sys.exit(code)


class _Again:
    """Begins the process again at its end, with its arguments and with the environment that it had at first."""

    is_wanted = False

    def __init__(self) -> None:
        self._environment = dict(os.environ)

    def __call__(self) -> None:
        if self.is_wanted:
            environment = {**self._environment, LEFT: os.environ[LEFT]}
            os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], environment)  # noqa: S606 - this very command
