"""Lineage: what a flow is replayed from."""

from pathlib import Path

from eddyline.adapters.settings import Settings
from eddyline.adapters.spark.driver.recorded_batches import recorded_batches
from eddyline.adapters.wiring.runs import run_options
from eddyline.application.flows.flow import Flow
from eddyline.application.lineage.changelog_batches import changelog_batches
from eddyline.application.lineage.limits import Limits
from eddyline.application.lineage.lineage import Lineage
from eddyline.application.lineage.schedules import KnownBatch
from eddyline.application.lineage.search import Source
from eddyline.application.ports.clock import Clock
from eddyline.application.runtime.plan.options import RunPorts
from eddyline.application.topology import Topology


def lineage(
    settings: Settings,
    ports: RunPorts,
    clock: Clock,
    topology: Topology,
    application_id: str,
    flow: Flow | None = None,
    limits: Limits | None = None,
) -> Lineage:
    """Return the lineage of a flow: the inputs of its results, found by replaying its log.

    Args:
        settings: The settings with which it runs.
        ports: Its ports; nothing is written.
        clock: The clock, for flows whose wall-clock times are not known.
        topology: Its topology.
        application_id: Its application id.
        flow: The flow, for its exception handlers.
        limits: Limits on the work of one answer, None for the defaults.
    """
    checkpoint = settings.checkpoint_of(application_id)
    options = run_options(settings, application_id, flow)

    def known() -> list[KnownBatch]:
        recorded = recorded_batches(checkpoint) if isinstance(checkpoint, Path) else []
        return recorded or changelog_batches(ports.log, topology, application_id)

    return Lineage(Source(topology, ports, options, known, clock.now_ms(), limits or Limits()))
