"""`eddyline state`: commands that move the state of flows."""

import typer

from eddyline.adapters.cli.commands.state.moving import export_state, import_state

app = typer.Typer(name="state", help="Move the state of a flow to another engine or version.", no_args_is_help=True)
app.command(name="export")(export_state)
app.command(name="import")(import_state)
