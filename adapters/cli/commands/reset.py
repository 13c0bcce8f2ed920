"""`eddyline reset`."""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

import typer
from rich.table import Table

from eddyline.adapters.cli.containers import container_for
from eddyline.adapters.cli.event_logs import log_name
from eddyline.adapters.cli.option_groups import OptionGroup, option_groups
from eddyline.adapters.cli.options import ApplicationOptions, EventLogOptions, FlowName, FlowSources, Form, StateOptions
from eddyline.adapters.cli.printable import echo
from eddyline.adapters.cli.requests import Request
from eddyline.adapters.cli.screen import WIDE, message, stdout
from eddyline.application.operations.reset import Outcome, has_dynamic_topics, intermediate_topics, output_topics
from eddyline.application.operations.reset import reset as reset_application
from eddyline.application.ports.resettable_state import Application, Artifact
from eddyline.application.runtime.plan.changelogs import changelog_topics
from eddyline.application.runtime.plan.dead_letters import dead_letter_topic
from eddyline.application.runtime.progress.task_records import tasks_topic


@dataclass(frozen=True)
class OtherRecordOptions(OptionGroup):
    """Options for records that are deleted as well."""

    with_output: Annotated[
        bool, typer.Option("--with-output", help="Delete the records of the topics that the flow writes, too.")
    ] = False
    with_dead_letters: Annotated[bool, typer.Option("--with-dead-letters", help="Delete the dead letters of the flow, too.")] = (
        False
    )


@option_groups
def reset(
    flow: FlowName,
    *,
    execute: Annotated[
        bool | None,
        typer.Option(
            "--execute/--dry-run",
            help="Delete the state, or only show it.",
            show_default="ask on a terminal, else --dry-run",
        ),
    ] = None,
    others: OtherRecordOptions,
    form: Form = "text",
    application: ApplicationOptions,
    topics: EventLogOptions,
    state: StateOptions,
    sources: FlowSources,
) -> None:
    """Delete the state of a flow so that it starts over.

    The next run reads the input topics from the beginning. Shows and then deletes the checkpoint with its state and the log file
    of Spark, the consumer group, the sink's record of completed batches, the changelogs of state stores and the read model of
    queries. Input topics are never changed. Results are kept, and the next run appends its own to them, unless --with-output
    deletes them.

    The command refuses to reset a flow that is running, or whose read model is in use. It cannot see a flow that runs on the
    memory engine or keeps its state on another machine: stop such a flow first.
    """
    request = sources.request(flow, application, topics, state)
    emptied = [*(output_topics(request.topology) if others.with_output else ())]
    emptied += [dead_letter_topic(request.application_id)] if others.with_dead_letters else []
    confirmed = _confirmation(request, list(_consequences(request, with_output=others.with_output)), execute=execute, form=form)
    container = container_for(request.settings)
    internal = (*changelog_topics(request.topology, request.application_id), tasks_topic(request.application_id))
    application_to_reset = Application(request.application_id, emptied, internal)
    outcome = reset_application(container.resettable_state(), application_to_reset, confirmed)
    nothing = outcome is Outcome.NOTHING_TO_DO
    states = str(request.checkpoint).rpartition("/")[0] or "."
    where = f" in {log_name(request.settings, container)} and '{states}'" if nothing else ""
    message(f"flow '{flow}', application '{request.application_id}': {_OUTCOMES[outcome]}{where}")


_OUTCOMES = {
    Outcome.NOTHING_TO_DO: "there is nothing to reset",
    Outcome.DECLINED: "nothing was changed; reset it with --execute",
    Outcome.DONE: "reset; its next run starts from the beginning",
}


def _confirmation(
    request: Request, consequences: Sequence[str], *, execute: bool | None, form: str
) -> Callable[[Sequence[Artifact]], bool]:
    """Return a function that shows what would be deleted and returns whether to delete it."""

    def confirmed(found: Sequence[Artifact]) -> bool:
        if form == "json":
            for artifact in found:
                echo(json.dumps(artifact._asdict()))
        else:
            table = Table("to be deleted", "location", "size", box=None)
            for artifact in found:
                table.add_row(*artifact)
            stdout(width=WIDE).print(table)
        for line in consequences:
            message(line)
        if execute is None and sys.stdin.isatty() and sys.stdout.isatty():
            return typer.confirm(f"Delete all this and reset '{request.application_id}'?", err=True)
        return bool(execute)

    return confirmed


def _consequences(request: Request, *, with_output: bool) -> Iterator[str]:
    """Return the consequences of a reset for the results of the flow, one line each."""
    written = _quoted(output_topics(request.topology))
    if written and not with_output:
        yield f"the next run appends its results to {written}; delete the old results with --with-output"
        again = _quoted(intermediate_topics(request.topology))
        if again:
            yield f"the flow also reads {again}, so the old records there become input again; delete them with --with-output"
    if has_dynamic_topics(request.topology):
        yield "topics whose names are computed from records are not deleted, since their names are not known"


def _quoted(topics: Sequence[str]) -> str:
    return ", ".join(f"'{topic}'" for topic in topics)
