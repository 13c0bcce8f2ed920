"""The command `eddyline` and its subcommands."""

import os
import sys
from collections.abc import Sequence
from traceback import format_exception
from typing import Annotated

import typer

from eddyline.adapters.cli.commands.compare import compare_topics
from eddyline.adapters.cli.commands.consume import consume
from eddyline.adapters.cli.commands.dead_letters import app as dead_letters
from eddyline.adapters.cli.commands.demo import demo
from eddyline.adapters.cli.commands.flows import flows
from eddyline.adapters.cli.commands.groups import app as groups
from eddyline.adapters.cli.commands.notify import notify
from eddyline.adapters.cli.commands.produce import produce
from eddyline.adapters.cli.commands.replay import replay
from eddyline.adapters.cli.commands.reset import reset
from eddyline.adapters.cli.commands.run import run as run_flow
from eddyline.adapters.cli.commands.services import app as services
from eddyline.adapters.cli.commands.simulate import app as simulate
from eddyline.adapters.cli.commands.topology import topology
from eddyline.adapters.cli.errors import FAILURE, guarded
from eddyline.adapters.cli.printable import echo

_HELP = "Run event-processing flows with the semantics of Kafka Streams, in memory or on Spark."

app = typer.Typer(
    name="eddyline",
    help=_HELP,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(flows)
app.command()(topology)
app.command(name="run")(run_flow)
app.command()(reset)
app.command(name="compare")(compare_topics)
app.command()(replay)
app.command()(notify)
app.command()(demo)
app.command()(produce)
app.command()(consume)
app.add_typer(simulate)
app.add_typer(services)
app.add_typer(groups)
app.add_typer(dead_letters)


@app.callback(help=_HELP)
def options(
    *, traceback: Annotated[bool, typer.Option("--traceback", help="Print the Python traceback of an error.")] = False
) -> None:
    """Declare the options of the command itself."""
    del traceback


def run(words: Sequence[str]) -> int:
    """Run the command with these arguments and return its exit code: 0, 1 for a failure, 2 for invalid arguments."""
    arguments = _with_help(list(words))
    return guarded(lambda: app(arguments, prog_name="eddyline", standalone_mode=False), traceback="--traceback" in words)


def _with_help(words: list[str]) -> list[str]:
    """Return the arguments, with `--help` for a group of commands without a command."""
    groups = [group.typer_instance.info.name for group in app.registered_groups if group.typer_instance]
    return [*words, "--help"] if not words or (len(words) == 1 and words[0] in groups) else words


def main() -> None:
    """Run the command with the arguments of the process; only the owner can read the files that it and its processes create."""
    os.umask(os.umask(0o077) | 0o077)
    try:
        code = run(sys.argv[1:])
    except Exception as error:  # noqa: BLE001 - asked for with --traceback
        echo("".join(format_exception(error)), err=True, nl=False)
        code = FAILURE
    sys.exit(code)
