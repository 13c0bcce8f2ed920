"""`eddyline status`."""

import typer

from eddyline.adapters.cli.option_groups import option_groups
from eddyline.adapters.cli.options import ServerUrlOptions, SettingSources


@option_groups
def status(*, server: ServerUrlOptions, sources: SettingSources) -> None:
    """Show the state stores of a query server.

    Shows their sizes, and how fresh they are. The exit code is 0 if all of them are ready, and 1 if one is being restored.
    """
    from rich.table import Column, Table  # noqa: PLC0415 - help is shown without rich

    from eddyline.adapters.cli.containers import container_for  # noqa: PLC0415
    from eddyline.adapters.cli.screen import stdout  # noqa: PLC0415
    from eddyline.adapters.cli.times import utc_time  # noqa: PLC0415

    with container_for(sources.settings(server), connect=False).query_client() as client:
        stores = client.stores()
    numbers = [Column(name, justify="right") for name in ("entries", "bytes", "batch", "lag")]
    table = Table("store", "kind", "key", "value", *numbers, "stream time", "state", box=None, pad_edge=False)
    for store in stores:
        fresh = store["freshness"]
        table.add_row(
            *(store[name] for name in ("name", "kind", "keyType", "valueType")),
            f"{store['entries']:,}",
            f"{store['sizeBytes']:,}",
            "" if fresh["batch"] is None else str(fresh["batch"]),
            f"{fresh['lag']:,}",
            "" if fresh["streamTime"] is None else utc_time(fresh["streamTime"]),
            "restoring" if fresh["restoring"] else "ready",
        )
    stdout().print(table)
    if any(store["freshness"]["restoring"] for store in stores):
        raise typer.Exit(1)
