"""`eddyline state export` and `eddyline state import`."""

from pathlib import Path
from typing import Annotated

import typer

from eddyline.adapters.cli.checkpoints import checkpoint_of, exported_state
from eddyline.adapters.cli.containers import container_for
from eddyline.adapters.cli.option_groups import option_groups
from eddyline.adapters.cli.options import ApplicationOptions, EventLogOptions, FlowName, FlowSources, StateOptions


@option_groups
def export_state(
    flow: FlowName,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write; it must not exist.")],
    *,
    application: ApplicationOptions,
    topics: EventLogOptions,
    state: StateOptions,
    sources: FlowSources,
) -> None:
    """Write the state of a flow to a file.

    Reads the checkpoint of the flow with the version of the flow that wrote it. The file has the entries of all stores, the
    stream times of all tasks, and the offsets at which the flow continues. Stop the flow first.
    """
    from eddyline.adapters.cli.errors import UsageError
    from eddyline.adapters.cli.screen import counted, message
    from eddyline.application.operations.exported_state import write_state

    if file.exists():
        raise UsageError(f"file '{file}' exists already; delete it, or choose another name")
    request = sources.request(flow, application, topics, state)
    container = container_for(request.settings, connect=False)
    exported = exported_state(request, container)
    write_state(exported, file)
    message(f"exported {counted(exported.entries, 'entry', 'entries')} of application '{request.application_id}' to '{file}'")


@option_groups
def import_state(
    flow: FlowName,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file that 'eddyline state export' has written.")],
    *,
    application: ApplicationOptions,
    topics: EventLogOptions,
    state: StateOptions,
    sources: FlowSources,
) -> None:
    """Create a checkpoint of a flow with the state in a file.

    The flow continues at the offsets in the file with the state of that moment. Names the changes since the version that was
    exported, and refuses state that the flow would misread. The flow must have no checkpoint: run `eddyline reset`, or choose
    another --version or --application-id.
    """
    from eddyline.adapters.cli.screen import counted, message
    from eddyline.application.operations.exported_state import read_state

    request = sources.request(flow, application, topics, state)
    container = container_for(request.settings, connect=False)
    exported = read_state(file)
    container.import_state(checkpoint_of(request, container), request.application_id, request.topology, exported)
    for change in exported.changes_to(request.topology):
        message(change.text if change.movable else f"{change.verdict.value}: {change.text}")
    message(f"imported {counted(exported.entries, 'entry', 'entries')} into application '{request.application_id}'")
