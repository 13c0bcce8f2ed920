"""`eddyline reset`: makes a flow start anew."""

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated

import typer
from rich.table import Table

from eddyline.adapters.cli.options import (
    ApplicationId,
    Assignments,
    Brokers,
    Config,
    DataDir,
    FlowName,
    LogKind,
    Modules,
    Request,
    StateDir,
    Version,
    requested,
)
from eddyline.adapters.cli.screen import stderr, stdout
from eddyline.adapters.container import Container
from eddyline.application.operations.reset import Outcome, has_dynamic_topics, intermediate_topics, output_topics
from eddyline.application.operations.reset import reset as reset_application
from eddyline.application.ports.resettable_state import Application, Artifact
from eddyline.application.runtime.dead_letters import dead_letter_topic


def reset(  # noqa: PLR0917 - typer reads options from parameters
    flow: FlowName,
    execute: Annotated[
        bool | None,
        typer.Option("--execute/--dry-run", help="Do it, or only show what would go; without either a terminal is asked."),
    ] = None,
    with_output: Annotated[  # noqa: FBT002 - a flag
        bool, typer.Option("--with-output", help="Remove the records of the topics that the flow writes too.")
    ] = False,
    with_dead_letters: Annotated[  # noqa: FBT002 - a flag
        bool, typer.Option("--with-dead-letters", help="Remove the flow's dead letters too.")
    ] = False,
    application_id: ApplicationId = None,
    version: Version = None,
    log: LogKind = None,
    bootstrap_servers: Brokers = None,
    data_dir: DataDir = None,
    state_dir: StateDir = None,
    assignments: Assignments = None,
    modules: Modules = None,
    config: Config = None,
) -> None:
    """Make a flow start anew: its next run reads its topics from their beginnings and works everything out again.

    Removes its checkpoint with progress and state, the log of Spark, its consumer group, and what the sink remembers of its
    batches. What it reads stays. What it has written stays too, so the results of the next run come on top of the old ones,
    unless --with-output removes these. Shows first what would go. A flow that runs is refused; a run of the memory engine, or
    one that keeps its state on another machine, cannot be seen: stop it before.
    """
    request = requested(
        flow,
        assignments,
        modules,
        config,
        application_id=application_id,
        version=version,
        log=log,
        bootstrap_servers=bootstrap_servers,
        data_dir=data_dir,
        state_dir=state_dir,
    )
    topics = [*(output_topics(request.topology) if with_output else ())]
    topics += [dead_letter_topic(request.application_id)] if with_dead_letters else []
    agreed = _agreement(request, list(_consequences(request, with_output=with_output)), execute=execute)
    places = Container(settings=request.settings).resettable_state()
    outcome = reset_application(places, Application(request.application_id, topics), agreed)
    stderr().print(f"flow '{flow}', application '{request.application_id}': {_NEWS[outcome]}", soft_wrap=True)


_NEWS = {
    Outcome.NOTHING_TO_DO: "there is nothing to reset",
    Outcome.DECLINED: "nothing was changed: --execute does it",
    Outcome.DONE: "reset; its next run starts anew",
}


def _agreement(request: Request, consequences: Sequence[str], *, execute: bool | None) -> Callable[[Sequence[Artifact]], bool]:
    def agreed(found: Sequence[Artifact]) -> bool:
        table = Table("to be removed", "where", "how much", box=None)
        for artifact in found:
            table.add_row(*artifact)
        stdout().print(table)
        for line in consequences:
            stderr().print(line, soft_wrap=True)
        if execute is None and sys.stdin.isatty() and sys.stdout.isatty():
            return typer.confirm(f"Remove all this and make '{request.application_id}' start anew?", err=True)
        return bool(execute)

    return agreed


def _consequences(request: Request, *, with_output: bool) -> Iterator[str]:
    """What the user should know of the results, a line each."""
    written = ", ".join(f"'{topic}'" for topic in output_topics(request.topology))
    if written and not with_output:
        yield f"the next run's results come on top of the old ones in {written} (--with-output removes these)"
        again = ", ".join(f"'{topic}'" for topic in intermediate_topics(request.topology))
        if again:
            yield f"what is left in {again} is read once more as input, since the flow reads it back (--with-output removes it)"
    if has_dynamic_topics(request.topology):
        yield "topics that records choose are not known by name: what lies in them stays"
