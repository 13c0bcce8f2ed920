"""`eddyline status`."""

import json

import typer

from eddyline.adapters.cli.option_groups import option_groups
from eddyline.adapters.cli.options import Form, ServerUrlOptions, SettingSources
from eddyline.adapters.cli.printable import echo


@option_groups
def status(*, form: Form = "text", server: ServerUrlOptions, sources: SettingSources) -> None:
    """Show the run and the state stores of a query server.

    Shows the state of the run, or of all flows of a service, if the server is that of 'eddyline run --serve' or 'eddyline up',
    and the stores with their sizes and how fresh they are. The exit code is 0 if all flows work and all stores are ready, else 1.
    """
    from eddyline.adapters.cli.containers import container_for
    from eddyline.adapters.cli.run_view import flows_of, run_summary, stores_view
    from eddyline.adapters.cli.screen import stdout

    with container_for(sources.settings(server), connect=False).query_client() as client:
        run, stores = client.run(), client.stores()
    if form == "json":
        echo(json.dumps({"run": run, "stores": list(stores)}))
    else:
        console = stdout()
        for flow in flows_of(run):
            console.print(run_summary(flow))
            console.print()
        console.print(stores_view(stores))
    if any(store["freshness"]["restoring"] for store in stores) or any(
        flow["state"] in {"error", "restarting"} for flow in flows_of(run)
    ):
        raise typer.Exit(1)
