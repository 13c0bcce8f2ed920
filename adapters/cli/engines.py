"""Opens the engine of the settings, for commands and programs alike, once nothing keeps the run from starting."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from eddyline.adapters.cli.requests import Request
from eddyline.adapters.cli.restoring import claim
from eddyline.adapters.cli.topics import ensure_topics
from eddyline.application.runtime.plan.options import OpenedEngine, RunStart

if TYPE_CHECKING:
    from eddyline.adapters.container import Container
    from eddyline.application.runtime.plan.options import RunOptions


def open_engine(
    request: Request,
    container: "Container",
    options: "RunOptions",
    log_file: Path,
    *,
    warn: Callable[[str], None],
    only_flows: bool = False,
) -> OpenedEngine:
    """Return the engine of the settings, which gives way to another one that starts the application at the same time.

    Args:
        request: The flow.
        container: What the settings choose.
        options: The options of the run.
        log_file: Receives the output of Spark.
        warn: Receives what an operator should know about a run on a cluster.
        only_flows: Whether a session of Spark is for flows alone.

    Raises:
        CommandError: Topics are missing.
        CheckpointError, LogMismatchError, MissingJavaError: As the engine finds it.
    """
    start = RunStart(
        ensure_topics=partial(ensure_topics, request, container),
        claim=partial(claim, request, container, options),
        warn=warn,
        log_file=log_file,
        only_flows=only_flows,
    )
    opened: OpenedEngine = container.engine(request.topology, options=options, start=start)
    return opened
