"""The page of a query server, which needs the extra `web`."""

from collections.abc import MutableMapping, Sequence
from typing import TYPE_CHECKING, Any

from eddyline.adapters.wiring.extras import extra
from eddyline.application.flows.flow import Flow
from eddyline.application.lineage.lineage import Lineage
from eddyline.application.monitoring.freshness_history import FreshnessHistory
from eddyline.application.monitoring.run_monitor import RunMonitor
from eddyline.application.monitoring.window_closing import LastAdvanced, WindowClosing
from eddyline.application.operations.dead_letter_service import DeadLetterService
from eddyline.application.ports.clock import Clock
from eddyline.application.ports.codec import Codecs
from eddyline.application.ports.event_log import EventLog, TopicPartition
from eddyline.application.queries.follower import ChangelogFollower
from eddyline.application.queries.latest_records import LatestRecords
from eddyline.application.queries.state_queries import StateQueries

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from eddyline.adapters.page.served import ServedFlow
    from eddyline.adapters.web.options import ServerOptions


class PageFlows:
    """Makes what the page shows of flows.

    Args:
        log: The event log.
        codecs: The codecs.
        clock: The wall clock.
    """

    def __init__(self, log: EventLog, codecs: Codecs, clock: Clock) -> None:
        self._log, self._codecs, self._clock = log, codecs, clock

    def served(
        self,
        flow: Flow,
        follower: ChangelogFollower,
        queries: StateQueries,
        dead_letters: DeadLetterService,
        lineage: Lineage,
        monitor: RunMonitor | None = None,
    ) -> "ServedFlow":
        """Return what the page shows of a flow; its history is to be started and stopped.

        Args:
            flow: The flow.
            follower: Follows the changelogs of the application, and knows its topology.
            queries: The queries over the follower.
            dead_letters: The dead letters of the application.
            lineage: Finds the inputs of its results.
            monitor: What the run in this process reports, None if the flow runs elsewhere.

        Raises:
            MissingExtraError: A library of the extra `web` is not installed.
        """
        with extra("web"):
            from eddyline.adapters.page.served import ServedFlow
        last_advanced = None if monitor is None else _last_advanced(monitor)
        return ServedFlow(
            flow=flow,
            topology=follower.topology,
            names_of=self._codecs.configured(follower.topology.type_choices).shown_names,
            queries=queries,
            history=FreshnessHistory(queries, self._clock),
            windows=WindowClosing(follower, self._log, self._clock, last_advanced=last_advanced),
            results=LatestRecords(self._log, self._codecs, follower.topology),
            dead_letters=dead_letters,
            lineage=lineage,
            monitor=monitor,
        )


def _last_advanced(monitor: RunMonitor) -> LastAdvanced:
    def last_advanced(source: TopicPartition) -> int | None:
        found = (found for found in monitor.snapshot().partitions if (found.topic, found.partition) == source)
        return next((partition.last_advanced for partition in found), None)

    return last_advanced


def page_app(options: "ServerOptions", flows: Sequence["ServedFlow"]) -> "ASGIApp":
    """Return the page of a server, an ASGI application.

    Raises:
        MissingExtraError: A library of the extra `web` is not installed.
    """
    with extra("web"):
        from eddyline.adapters.page.app import page_app
        from eddyline.adapters.page.served import Served
        from eddyline.adapters.web.keys import KeyParser
        from eddyline.adapters.web.roles import Role, role_of

    def may_operate(scope: MutableMapping[str, Any]) -> bool:
        return role_of(scope) is Role.OPERATOR

    return page_app(Served(flows=flows, keys_of=KeyParser, may_operate=may_operate, protected=options.protected))
