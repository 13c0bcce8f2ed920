"""`eddyline state export` and `eddyline state import`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer

from eddyline.adapters.cli.containers import container_for
from eddyline.adapters.cli.option_groups import SettingOptions, option_groups
from eddyline.adapters.cli.options import ApplicationOptions, EventLogOptions, Execute, FlowName, FlowSources, StateOptions


@dataclass(frozen=True)
class EngineOptions(SettingOptions):
    """Options for the engine whose state is moved."""

    engine: Annotated[
        Literal["spark", "local", "memory"] | None,
        typer.Option("--engine", help="Move the state of this engine; memory keeps none. Setting: engine."),
    ] = None


@option_groups
def export_state(
    flow: FlowName,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write; it must not exist.")],
    *,
    engine: EngineOptions,
    application: ApplicationOptions,
    topics: EventLogOptions,
    state: StateOptions,
    sources: FlowSources,
) -> None:
    """Write the state of a flow to a file.

    Reads the checkpoint of the flow, or with --engine local its changelogs, with the version of the flow that wrote them. The
    file has the entries of all stores, the stream times of all tasks, and the offsets at which the flow continues. Stop the flow
    first.
    """
    from eddyline.adapters.cli.errors import UsageError
    from eddyline.adapters.cli.moved_state import check_engine, left_state
    from eddyline.adapters.cli.screen import counted, message
    from eddyline.application.operations.exported_state import write_state

    if file.exists():
        raise UsageError(f"file '{file}' exists already; delete it, or choose another name")
    request = sources.request(flow, engine, application, topics, state)
    check_engine(request)
    container = container_for(request.settings, connect=request.settings.engine == "local")
    exported = left_state(request, container)
    write_state(exported, file)
    message(f"exported {counted(exported.entries, 'entry', 'entries')} of application '{request.application_id}' to '{file}'")


@option_groups
def import_state(
    flow: FlowName,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file that 'eddyline state export' has written.")],
    *,
    execute: Execute = False,
    engine: EngineOptions,
    application: ApplicationOptions,
    topics: EventLogOptions,
    state: StateOptions,
    sources: FlowSources,
) -> None:
    """Let a flow begin with the state in a file.

    Creates a checkpoint, or with --engine local changelogs, whichever engine the state was exported from. The flow continues at
    the offsets in the file with the state of that moment. Names the changes since the version that was exported, refuses state
    that the flow would misread, and writes with --execute only. The flow must have no state on any engine: run `eddyline reset`,
    or choose another --version or --application-id.
    """
    from eddyline.adapters.cli.moved_state import begin_with, check_beginning, check_engine
    from eddyline.adapters.cli.screen import counted, message
    from eddyline.application.operations.exported_state import read_state

    request = sources.request(flow, engine, application, topics, state)
    check_engine(request)
    exported = read_state(file)
    container = container_for(request.settings)
    check_beginning(request, container, exported)
    if execute:
        begin_with(request, container, exported)
    for change in exported.changes_to(request.topology):
        message(change.text if change.movable else f"{change.verdict.value}: {change.text}")
    entries = counted(exported.entries, "entry", "entries")
    if execute:
        message(f"imported {entries} into application '{request.application_id}'")
    else:
        message(f"application '{request.application_id}': nothing was changed; import {entries} with --execute")
