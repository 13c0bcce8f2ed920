"""`eddyline topology diff`."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from eddyline.adapters.cli.errors import UsageError
from eddyline.adapters.cli.option_groups import option_groups
from eddyline.adapters.cli.options import FlowSources, Form, VersionOptions
from eddyline.adapters.cli.printable import echo

if TYPE_CHECKING:
    from eddyline.application.topology.evolution import TopologyDescription

_BREAKS = 1
_SOURCES = "The name of a flow, or a file that 'eddyline topology FLOW --format json' has written."


@option_groups
def diff(
    old: Annotated[str, typer.Argument(metavar="OLD", help=f"The version with the state. {_SOURCES}")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="The version that is to continue with it, given likewise.")],
    *,
    form: Form = "text",
    version: VersionOptions,
    sources: FlowSources,
) -> None:
    """Compare two versions of a flow.

    Says of each change whether it is safe for the state that the old version has left, rebuilds a part of it, or breaks it. A run
    refuses to continue from a checkpoint that a change breaks. Functions are not compared. Exits with 1 if a change breaks state.
    """
    from eddyline.application.topology.evolution import breaking, changes, way_out

    found = changes(_description(old, version, sources), _description(new, version, sources))
    for change in found:
        described = {"verdict": change.verdict.value, "change": change.text}
        echo(json.dumps(described) if form == "json" else f"{change.verdict.value}: {change.text}")
    if not found and form == "text":
        echo("no changes; functions are not compared")
    broken = breaking(found)
    if broken:
        echo(f"to continue: {way_out(broken)}", err=True)
        raise typer.Exit(_BREAKS)


def _description(name: str, version: VersionOptions, sources: FlowSources) -> "TopologyDescription":
    from eddyline.adapters.settings import read_text_file
    from eddyline.application.topology.evolution import (
        DescriptionError,
        described,
        from_json,
    )

    path = Path(name)
    if path.suffix != ".json":
        return described(sources.request(name, version).topology)
    try:
        return from_json(json.loads(read_text_file(path)))
    except DescriptionError as error:
        raise UsageError(f"file '{path}' has {error}") from error
    except RecursionError:
        raise UsageError(f"file '{path}' is not JSON: it is nested too deeply") from None
    except ValueError as error:
        raise UsageError(f"file '{path}' is not JSON ({error}); create it with 'eddyline topology FLOW --format json'") from error
