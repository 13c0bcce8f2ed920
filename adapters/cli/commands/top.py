"""`eddyline top`."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from eddyline.adapters.cli.option_groups import option_groups
from eddyline.adapters.cli.options import Form, ServerUrlOptions, SettingSources

if TYPE_CHECKING:
    from rich.console import RenderableType


@option_groups
def top(
    *,
    once: Annotated[bool, typer.Option("--once", help="Print one picture and exit.")] = False,
    interval: Annotated[float, typer.Option(metavar="SECONDS", min=0.1, max=3_600, help="The time between two pictures.")] = 1.0,
    form: Form = "text",
    server: ServerUrlOptions,
    sources: SettingSources,
) -> None:
    """Watch a running flow through its server.

    Shows throughput, lag, batches, the positions in the source topics, the operators with their drops, and the stores, until
    SIGINT (Ctrl+C). Prints one picture if standard output is not a terminal, with --format json an object for each.

    The server is that of 'eddyline run --serve'; that of 'eddyline serve' has stores alone.
    """
    import json
    import threading

    from rich.live import Live

    from eddyline.adapters.cli.containers import container_for
    from eddyline.adapters.cli.printable import echo
    from eddyline.adapters.cli.screen import stdout
    from eddyline.adapters.cli.stopping import stopped_by_signals

    with container_for(sources.settings(server), connect=False).query_client() as client:
        stopping, console = threading.Event(), stdout()
        if form == "json":
            with stopped_by_signals(stopping.set):
                while not stopping.is_set():
                    echo(json.dumps({"run": client.run(), "stores": client.stores()}))
                    if once or stopping.wait(interval):
                        return
            return
        pictures = _Pictures(client)
        first = pictures.next()
        if once or not console.is_terminal:
            console.print(first)
            return
        with stopped_by_signals(stopping.set), Live(first, console=console, screen=True, auto_refresh=False) as live:
            while not stopping.wait(interval):
                live.update(pictures.next_or_last(), refresh=True)


class _Pictures:
    """Asks a server for one picture after the other."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._run: Any = None
        self._last: RenderableType = ""

    def next(self) -> "RenderableType":
        """Return a new picture. Raises QueryClientError."""
        from rich.console import Group

        from eddyline.adapters.cli.run_view import flows_of, run_summary, run_view, stores_view

        previous, self._run = self._run, self._client.run()
        stores = self._client.stores()
        if self._run is None:
            hint = "no run beside this server: 'eddyline run --serve' has one"
            self._last = Group(hint, "", stores_view(stores))
        elif "flows" in self._run:
            parts = [part for flow in flows_of(self._run) for part in (run_summary(flow), "")]
            self._last = Group(*parts, stores_view(stores))
        else:
            self._last = run_view(self._run, stores, previous)
        return self._last

    def next_or_last(self) -> "RenderableType":
        """Return a new picture, or the last one with the error if the server does not answer."""
        from rich.console import Group
        from rich.text import Text

        last, run = self._last, self._run
        try:
            return self.next()
        except self._client.error as error:
            self._last, self._run = last, run
            return Group(Text(str(error), "red"), "", last)
