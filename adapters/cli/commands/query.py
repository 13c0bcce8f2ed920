"""`eddyline query`."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from eddyline.adapters.cli.option_groups import OptionGroup, option_groups
from eddyline.adapters.cli.options import Form, ServerUrlOptions, SettingSources


@dataclass(frozen=True)
class RowOptions(OptionGroup):
    """Options that choose rows."""

    first: Annotated[str | None, typer.Option(metavar="KEY", help="Begin with this key.")] = None
    last: Annotated[str | None, typer.Option(metavar="KEY", help="End with this key, inclusive.")] = None
    prefix: Annotated[str | None, typer.Option(metavar="TEXT", help="Print the rows whose keys begin with this text.")] = None
    latest: Annotated[bool, typer.Option("--latest", help="Print the latest row of every key.")] = False
    start: Annotated[str | None, typer.Option("--from", metavar="TIME", help="Print windows of the key from this time on.")] = (
        None
    )
    end: Annotated[str | None, typer.Option("--to", metavar="TIME", help="Print windows of the key up to this time.")] = None
    as_of: Annotated[str | None, typer.Option("--as-of", metavar="TIME", help="Print the version of the key at this time.")] = (
        None
    )
    limit: Annotated[
        int | None,
        typer.Option(
            metavar="ROWS", min=1, max=1_000, help="Print at most this many rows.", show_default="100, or 1000 of a key"
        ),
    ] = None
    cursor: Annotated[
        str | None, typer.Option(metavar="CURSOR", help="Continue after the answer with this cursor, which --format json prints.")
    ] = None


@dataclass(frozen=True)
class FreshOptions(OptionGroup):
    """Options for what the answer must include."""

    min_offset: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TOPIC:PARTITION:OFFSET",
            help="Wait until the state includes the record with this offset. Can be repeated.",
        ),
    ] = None
    timeout: Annotated[float, typer.Option(metavar="SECONDS", min=0, help="Wait at most this long for --min-offset.")] = 5.0


@option_groups
def query(
    store: Annotated[str, typer.Argument(metavar="STORE", help="The store; 'eddyline status' lists them.")],
    key: Annotated[
        str | None, typer.Argument(metavar="KEY", help="The key: text, or JSON if the type of the keys is not str.")
    ] = None,
    *,
    rows: RowOptions,
    fresh: FreshOptions,
    form: Form = "text",
    server: ServerUrlOptions,
    sources: SettingSources,
) -> None:
    """Print rows of a state store, from a query server.

    Prints all rows of a key, or without a key those of a range of keys. Keys and values are JSON. The last line on standard error
    says how fresh the answer is; --format json has that and the cursor in the object.
    """
    from eddyline.adapters.cli.containers import container_for
    from eddyline.adapters.cli.printable import echo

    name, searched, parameters = _request(key, rows)
    parameters |= {"min_offset": fresh.min_offset, "timeout": fresh.timeout} if fresh.min_offset else {}
    with container_for(sources.settings(server), connect=False).query_client() as client:
        answer = client.rows(store, name, searched, parameters)
    if form == "json":
        echo(json.dumps(answer, ensure_ascii=False))
    else:
        _show(answer)


def _request(key: str | None, rows: RowOptions) -> tuple[str, str | None, dict[str, Any]]:
    """Return the query, its key or prefix, and its parameters."""
    from eddyline.adapters.cli.errors import UsageError
    from eddyline.adapters.cli.times import parse_time

    ranged = {"--first": rows.first, "--last": rows.last, "--prefix": rows.prefix, "--latest": rows.latest or None}
    timed = {"--from": rows.start, "--to": rows.end, "--as-of": rows.as_of}
    given = [option for option, value in (ranged if key is not None else timed).items() if value is not None]
    if given:
        needs = "does not go with a KEY" if key is not None else "needs a KEY"
        raise UsageError(f"option {given[0]} {needs}; leave it out{'' if key is not None else ' or give the key'}")
    times = {option: None if text is None else parse_time(text, option) for option, text in timed.items()}
    chosen = {"limit": rows.limit, "cursor": rows.cursor}
    page: dict[str, Any] = {name: value for name, value in chosen.items() if value is not None}
    if key is not None and times["--as-of"] is not None:
        return "versions", key, page | {"as_of": times["--as-of"]}
    if key is not None:
        bounds = {"from": times["--from"], "to": times["--to"]}
        windows = {name: time for name, time in bounds.items() if time is not None}
        return ("windows" if windows else "keys"), key, page | windows
    if rows.prefix is not None:
        return "prefix", rows.prefix, page
    if rows.latest:
        return "latest", None, page
    bounded = {name: value for name, value in (("first", rows.first), ("last", rows.last)) if value is not None}
    return "range", None, page | bounded


def _show(answer: Mapping[str, Any]) -> None:
    from rich.table import Table

    from eddyline.adapters.cli.screen import counted, message, stdout
    from eddyline.adapters.cli.times import utc_time

    found = answer["rows"]
    columns = [name for name in ("key", "window", "value", "timestamp", "validTo") if any(name in row for row in found)]
    table = Table(*columns, box=None, pad_edge=False)
    for row in found:
        table.add_row(*(_cell(name, row.get(name), utc_time) for name in columns))
    if found:
        stdout().print(table)
    fresh = answer["freshness"]
    more = "; there are more" if answer["cursor"] else ""
    state = ", restoring" if fresh["restoring"] else ""
    message(f"{counted(len(found), 'row')}{more}; batch {fresh['batch']}, lag {counted(fresh['lag'], 'record')}{state}")


def _cell(name: str, value: Any, utc_time: Any) -> str:
    if value is None:
        return ""
    if name == "window":
        return f"{utc_time(value['start'])} - {utc_time(value['end'])}"
    if name in {"timestamp", "validTo"}:
        return str(utc_time(value))
    return value if isinstance(value, str) and name == "key" else json.dumps(value, ensure_ascii=False)
