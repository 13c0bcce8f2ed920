"""What a server shows on its page: flows with their queries, topics and dead letters."""

from collections.abc import Callable, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from eddyline.application.flows.flow import Flow
from eddyline.application.lineage.lineage import Lineage
from eddyline.application.monitoring.freshness_history import FreshnessHistory
from eddyline.application.monitoring.run_monitor import RunMonitor
from eddyline.application.monitoring.window_closing import WindowClosing
from eddyline.application.operations.dead_letter_service import DeadLetterService
from eddyline.application.queries.answers import StoreInfo
from eddyline.application.queries.latest_records import LatestRecords
from eddyline.application.queries.state_queries import StateQueries
from eddyline.application.topology import Topology
from eddyline.application.topology.types import Names


class KeyText(Protocol):
    """Parses the keys of a store as people write them."""

    @property
    def described(self) -> str:
        """How a key is written, for people."""

    @property
    def have_prefixes(self) -> bool:
        """Whether keys can be searched for by prefix."""

    def key(self, text: str) -> Any:
        """Return a key; raises a QueryError for a text that is none."""

    def prefix(self, text: str) -> Any:
        """Return the prefix of keys; raises a QueryError for a text that is none."""


@dataclass(frozen=True, kw_only=True)
class ServedFlow:
    """A flow, and where its state, its results and its dead letters are.

    Attributes:
        flow: The flow.
        topology: Its topology, with the settings of the server.
        names_of: Returns what the fields of a topic's keys and values are called, and those of state for no topic.
        queries: The state.
        history: How fresh the state was over time.
        windows: Why windows are open.
        results: The latest records of topics.
        dead_letters: The dead letters.
        lineage: Finds the inputs of results by replaying the log.
        monitor: What the run in this process reports, None if the flow runs elsewhere.
    """

    flow: Flow
    topology: Topology
    names_of: Callable[[str], Names]
    queries: StateQueries
    history: FreshnessHistory
    windows: WindowClosing
    results: LatestRecords
    dead_letters: DeadLetterService
    lineage: Lineage
    monitor: RunMonitor | None = None

    def topic(self, name: str) -> str:
        """Return the topic that a view or an alert of the flow means: the one of its version if it has one."""
        return self.topology.in_version(name)


@dataclass(frozen=True, kw_only=True)
class Served:
    """What a server shows.

    Attributes:
        flows: The flows.
        keys_of: Returns how the keys of a store are written.
        may_operate: Returns whether the client that has sent a request may change something, given the request's scope.
        protected: Whether people have logged in, so that they can log out.
    """

    flows: Sequence[ServedFlow]
    keys_of: Callable[[StoreInfo], KeyText]
    may_operate: Callable[[MutableMapping[str, Any]], bool]
    protected: bool = False

    def flow(self, name: str | None) -> ServedFlow | None:
        """Return the flow of this name, the first one without a name, None if there is none."""
        if not name:
            return self.flows[0]
        return next((served for served in self.flows if served.flow.name == name), None)
