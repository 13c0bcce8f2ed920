"""Warnings about operators that do not receive every update of a table."""

from collections.abc import Iterator

from eddyline.adapters.cli.requests import Request


def update_warnings(request: Request) -> Iterator[str]:
    """Return a line for each operator of a flow whose result depends on updates that its table does not forward."""
    for operator, table in request.topology.update_dependents(request.settings.emit):
        yield (
            f"'{operator}' receives only the latest update per key and batch of table '{table}'; if it must not miss one, "
            "define the table with caching=False or run with --emit every-update"
        )
