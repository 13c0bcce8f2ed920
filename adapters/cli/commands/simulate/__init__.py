"""`eddyline simulate`: a command for the input of each sample flow, with the name of the flow."""

import typer

from eddyline.adapters.cli.commands.simulate.market import daily_prices, trades
from eddyline.adapters.cli.commands.simulate.simulators import simulation_command, simulation_help
from eddyline.application.samples.catalogue import SIMULATORS

app = typer.Typer(name="simulate", help="Write simulated events as input for the sample flows.")


@app.callback()
def simulate() -> None:
    """Write simulated events as input for the sample flows."""


app.command(name="stock-stats")(trades)
app.command(name="top-movers")(daily_prices)
for simulator in SIMULATORS:
    app.command(name=simulator.name, help=simulation_help(simulator))(simulation_command(simulator))
