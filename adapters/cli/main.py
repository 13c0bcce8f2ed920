"""The command `eddyline` and its sub-commands."""

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from eddyline.adapters.cli.compare_command import compare_topics
from eddyline.adapters.cli.consume_command import consume
from eddyline.adapters.cli.dead_letters_command import app as dead_letters
from eddyline.adapters.cli.demo_command import demo
from eddyline.adapters.cli.errors import guarded
from eddyline.adapters.cli.flows_command import flows
from eddyline.adapters.cli.groups_command import app as groups
from eddyline.adapters.cli.notify_command import notify
from eddyline.adapters.cli.produce_command import produce
from eddyline.adapters.cli.replay_command import replay
from eddyline.adapters.cli.reset_command import reset
from eddyline.adapters.cli.run_command import run as run_flow
from eddyline.adapters.cli.services_command import app as services
from eddyline.adapters.cli.simulate_command import app as simulate
from eddyline.adapters.cli.topology_command import topology

app = typer.Typer(
    name="eddyline",
    help="Event processing with the meaning of Kafka Streams, in memory or on Spark.",
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


@app.callback()
def options(
    *, traceback: Annotated[bool, typer.Option("--traceback", help="Show where an error came from, not only what it is.")] = False
) -> None:
    """Event processing with the meaning of Kafka Streams, in memory or on Spark."""
    del traceback


def run(words: Sequence[str]) -> int:
    """Runs the command in `words` and gives its exit code: 0, 1 for a failure, 2 for a wrong request."""
    asked = _with_help(list(words))
    return guarded(lambda: app(asked, prog_name="eddyline", standalone_mode=False), traceback="--traceback" in words)


def _with_help(words: list[str]) -> list[str]:
    """The words, or a request for help where a group of commands stands alone."""
    groups = [group.typer_instance.info.name for group in app.registered_groups if group.typer_instance]
    return [*words, "--help"] if not words or (len(words) == 1 and words[0] in groups) else words


def main() -> None:
    """The entry point of the command."""
    sys.exit(run(sys.argv[1:]))
