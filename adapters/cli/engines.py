"""Opens the engine that the settings choose, for commands and programs alike, once nothing keeps the run from starting."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from eddyline.adapters.cli.requests import Request
from eddyline.adapters.cli.restoring import claim
from eddyline.adapters.cli.topics import ensure_topics
from eddyline.application.runtime.progress.report import OnProgress, RunReport

if TYPE_CHECKING:
    from eddyline.adapters.container import Container
    from eddyline.application.runtime.plan.options import RunOptions


class Runner(Protocol):
    """A flow on an engine."""

    def run(self, on_progress: OnProgress | None = None) -> RunReport:
        """Run until it is stopped."""

    def run_available_now(self, on_progress: OnProgress | None = None) -> RunReport:
        """Run to the end offsets that the log has now."""


class OpenedEngine(NamedTuple):
    """An engine that is ready to run a flow.

    Attributes:
        runner: Runs the flow, a Runner; a SparkEngine on Spark.
        request_stop: Lets the run end after the current batch or record; returns at once, and may be called in any thread.
        close: Ends what the engine keeps beside a run; Spark goes on.
    """

    runner: Any
    request_stop: Callable[[], None]
    close: Callable[[], None] = lambda: None


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
    settings, topology = request.settings, request.topology
    claimed = partial(claim, request, container, options)
    if settings.engine != "spark":
        ensure_topics(request, container)
        if settings.engine == "local":
            local = container.local_engine(topology, options=options, claim=claimed)
            return OpenedEngine(local, local.stop)
        run = container.memory_run(topology, options=options)
        return OpenedEngine(run, run.stop, run.close)
    checkpoint = settings.checkpoint_of(options.application_id)
    engine = container.spark_engine(
        topology, options=options, checkpoint_dir=checkpoint, log_file=log_file, only_flows=only_flows, claim=claimed
    )
    for warning in container.cluster_warnings():
        warn(warning)
    if isinstance(checkpoint, str):
        container.check_spark()  # the file system is one of Java
    engine.check_checkpoint()
    ensure_topics(request, container)
    engine.check()
    container.check_spark()
    return OpenedEngine(engine, engine.request_stop)
