"""The engines as runs open them: each does in its own order what has to be done before it may start."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from eddyline.adapters.settings import Settings
from eddyline.adapters.wiring.spark import check_spark
from eddyline.application.runtime.plan.options import OpenedEngine, RunOptions, RunStart
from eddyline.application.topology import Topology

if TYPE_CHECKING:
    from eddyline.adapters.local.engine import LocalEngine
    from eddyline.adapters.memory.run import MemoryRun
    from eddyline.adapters.spark.engine import SparkEngine


def open_local(engine: "Callable[..., LocalEngine]", topology: Topology, *, options: RunOptions, start: RunStart) -> OpenedEngine:
    """Return the engine that runs in this process."""
    start.ensure_topics()
    local = engine(topology, options=options, claim=start.claim)
    return OpenedEngine(local, local.stop)


def open_memory(run: "Callable[..., MemoryRun]", topology: Topology, *, options: RunOptions, start: RunStart) -> OpenedEngine:
    """Return the engine whose state ends with the run."""
    start.ensure_topics()
    opened = run(topology, options=options)
    return OpenedEngine(opened, opened.stop, opened.close)


def open_spark(
    settings: Settings,
    engine: "Callable[..., SparkEngine]",
    warnings: Sequence[str],
    topology: Topology,
    *,
    options: RunOptions,
    start: RunStart,
) -> OpenedEngine:
    """Return Spark, once its checkpoint fits the run.

    Raises:
        CheckpointError, LogMismatchError, MissingJavaError: As the engine finds it.
    """
    checkpoint = settings.checkpoint_of(options.application_id)
    spark = engine(
        topology,
        options=options,
        checkpoint_dir=checkpoint,
        log_file=start.log_file,
        only_flows=start.only_flows,
        claim=start.claim,
    )
    for warning in warnings:
        start.warn(warning)
    if isinstance(checkpoint, str):
        check_spark()  # the file system is one of Java
    spark.check_checkpoint()
    start.ensure_topics()
    spark.check()
    check_spark()
    return OpenedEngine(spark, spark.request_stop)
