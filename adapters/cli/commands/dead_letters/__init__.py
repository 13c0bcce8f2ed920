"""`eddyline dead-letters`: commands that list, show and redrive dead letters."""

import typer

from eddyline.adapters.cli.commands.dead_letters.listing import list_letters
from eddyline.adapters.cli.commands.dead_letters.redrive import redrive
from eddyline.adapters.cli.commands.dead_letters.show import show

app = typer.Typer(name="dead-letters", help="List, show and redrive the dead letters of a flow.", no_args_is_help=True)
app.command(name="list")(list_letters)
app.command()(show)
app.command()(redrive)
