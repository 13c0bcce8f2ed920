"""Sample flows as a page shows them, over a log in memory."""

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.event_sink import MemoryEventSink
from eddyline.adapters.memory.read_model import MemoryReadModel
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.adapters.page.served import Served, ServedFlow
from eddyline.adapters.system.clock import SystemClock
from eddyline.adapters.web.keys import KeyParser
from eddyline.application.flows.flow import Flow
from eddyline.application.lineage.lineage import Lineage
from eddyline.application.lineage.search import Source
from eddyline.application.monitoring.freshness_history import FreshnessHistory
from eddyline.application.monitoring.window_closing import WindowClosing
from eddyline.application.operations.dead_letter_service import DeadLetterService
from eddyline.application.queries.follower import ChangelogFollower
from eddyline.application.queries.latest_records import LatestRecords
from eddyline.application.queries.model_queries import ModelQueries
from eddyline.application.runtime.plan.options import RunOptions, RunPorts
from eddyline.application.samples.catalogue import find_flow


def served_flow(name: str) -> ServedFlow:
    """Return a sample flow that has not run yet."""
    return over(MemoryEventLog(), find_flow(name))


def over(log: MemoryEventLog, flow: Flow) -> ServedFlow:
    """Return a flow over a log."""
    name, codecs, clock = flow.name, JsonCodecs(), SystemClock()
    follower = ChangelogFollower(flow.topology(), name, log, codecs, MemoryReadModel())
    queries = ModelQueries(follower, log)
    ports = RunPorts(log=log, sink=MemoryEventSink(log), codecs=codecs, stores=MemoryStateStores())
    return ServedFlow(
        flow=flow,
        topology=follower.topology,
        names_of=codecs.configured(follower.topology.type_choices).shown_names,
        queries=queries,
        history=FreshnessHistory(queries, clock),
        windows=WindowClosing(follower, log, clock),
        results=LatestRecords(log, codecs, follower.topology),
        lineage=Lineage(Source(follower.topology, ports, RunOptions(application_id=name))),
        dead_letters=DeadLetterService(log, MemoryEventSink(log), clock, name),
    )


def shown(*flows: ServedFlow) -> Served:
    """Return what a page shows to people who may do everything."""
    return Served(flows=flows, keys_of=KeyParser, may_operate=lambda _: True)
