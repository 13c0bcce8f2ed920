"""`eddyline rescale`."""

from typing import Annotated

import typer

from eddyline.adapters.cli.checkpoints import checkpoint_of, exported_state
from eddyline.adapters.cli.containers import container_for
from eddyline.adapters.cli.option_groups import option_groups
from eddyline.adapters.cli.options import ApplicationOptions, EventLogOptions, Execute, FlowName, FlowSources, StateOptions


@option_groups
def rescale(
    flow: FlowName,
    tasks: Annotated[int, typer.Option("--tasks", metavar="N", help="The new number of tasks.", min=1)],
    *,
    execute: Execute = False,
    application: ApplicationOptions,
    topics: EventLogOptions,
    state: StateOptions,
    sources: FlowSources,
) -> None:
    """Change the number of tasks of a flow that has state.

    Moves the state of each key to its new task and replaces the checkpoint; the flow continues where it stopped, with the same
    results. Sub-topologies that read repartition topics can be rescaled; those that read an input topic have a task for each of
    its partitions. Names those that keep their tasks, and replaces the checkpoint with --execute only. Stop the flow first.
    """
    from eddyline.adapters.cli.errors import CommandError
    from eddyline.adapters.cli.screen import counted, message
    from eddyline.application.operations.rescale import rescale as rescaled_state
    from eddyline.application.runtime.plan.changelogs import changelog_topics

    request = sources.request(flow, application, topics, state)
    container = container_for(request.settings)
    logged = set(changelog_topics(request.topology, request.application_id)).intersection(container.log().topics())
    if logged:
        raise CommandError(
            f"changelog topic '{min(logged)}' has a partition for each task, so the flow cannot be rescaled with it; delete the "
            "changelog topics of the flow, and the next run with changelog.stores writes them again"
        )
    exported = exported_state(request, container)
    found = rescaled_state(exported, request.topology, container.codecs(), tasks)
    if execute:
        container.replace_state(checkpoint_of(request, container), request.application_id, request.topology, found.state)
    for reason in found.kept:
        message(f"not rescaled: {reason}")
    if execute:
        message(f"rescaled application '{request.application_id}' to {counted(tasks, 'task')}")
    else:
        message(
            f"application '{request.application_id}': nothing was changed; rescale it to {counted(tasks, 'task')} with --execute"
        )
