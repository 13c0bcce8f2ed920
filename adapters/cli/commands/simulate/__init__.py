"""`eddyline simulate`: a command for each simulation."""

import typer

from eddyline.adapters.cli.commands.simulate.market import daily_prices, trades
from eddyline.adapters.cli.commands.simulate.simulators import simulation_command, simulation_help
from eddyline.application.samples.catalogue import SIMULATORS

app = typer.Typer(name="simulate", help="Write simulated events as input for the sample flows.")


@app.callback()
def simulate() -> None:
    """Write simulated events as input for the sample flows."""


app.command(name="trades")(trades)
app.command(name="daily-prices")(daily_prices)
for simulator in SIMULATORS:
    app.command(name=simulator.name, help=simulation_help(simulator))(simulation_command(simulator))
