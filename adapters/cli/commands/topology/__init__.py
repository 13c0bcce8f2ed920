"""`eddyline topology`: commands that print and compare topologies."""

from typing import Any

import typer
from typer.core import TyperGroup

from eddyline.adapters.cli.commands.topology.diff import diff
from eddyline.adapters.cli.commands.topology.show import show


class _WithDefault(TyperGroup):
    """A group whose first command is called if none is named, so that `topology FLOW` is `topology show FLOW`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments, after the name of the default command if they begin with none."""
        if not args or args[0] not in {*self.commands, *ctx.help_option_names}:
            args = ["show", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    name="topology",
    help="""Print the topology of a flow: operators, stores, topics.

    `eddyline topology FLOW` is short for `eddyline topology show FLOW`.
    """,
    cls=_WithDefault,
)
app.command()(show)
app.command()(diff)
