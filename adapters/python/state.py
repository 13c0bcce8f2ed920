"""The state of an application in Python: `eddyline.state("inventory").store("stock").get("apple")`."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from eddyline.adapters.cli.catalogue import known_flows
from eddyline.adapters.cli.requests import Request, load_settings, topology_of
from eddyline.adapters.container import Container
from eddyline.adapters.python.frames import frame_of
from eddyline.application.flows.flow import Flow
from eddyline.application.flows.registry import find_flow
from eddyline.application.queries.answers import Freshness, InvalidQueryError
from eddyline.application.queries.follower import ChangelogFollower
from eddyline.application.queries.state_queries import StateQueries
from eddyline.application.runtime.progress.store_rows import StoreRow
from eddyline.application.topology.stores import StoreKind

if TYPE_CHECKING:
    import pandas as pd

_PAGE = 1_000


class StoreState:
    """The contents of one store. Every call reads the changelog to its end first, so that it sees all that the flow has written.

    All times are milliseconds since the epoch. A key that is not of the type of the store's keys is a QueryError.
    """

    def __init__(self, queries: StateQueries, follower: ChangelogFollower, name: str, kind: StoreKind) -> None:
        self.name, self._kind = name, kind
        self._queries, self._follower = queries, follower

    def get(self, key: Any) -> Any:
        """Return the value of a key, that of its latest window, session or version; None if it has none."""
        rows = self.rows(key)
        if not rows or (self._kind is StoreKind.VERSIONED and rows[-1].valid_to is not None):
            return None
        return rows[-1].value

    def rows(self, *keys: Any) -> list[StoreRow]:
        """Return the rows of these keys, all windows, sessions and versions of each."""
        return list(self._all(lambda cursor: self._queries.get(self.name, *keys, limit=_PAGE, cursor=cursor)))

    def range(self, first: Any = None, last: Any = None) -> list[StoreRow]:
        """Return the rows with `first <= key <= last` in key order; None leaves that side unbounded."""
        return list(self._all(lambda cursor: self._queries.range(self.name, first, last, limit=_PAGE, cursor=cursor)))

    def prefix(self, prefix: Any) -> list[StoreRow]:
        """Return the rows whose keys begin with a text, or with the fields of a tuple, in key order."""
        return list(self._all(lambda cursor: self._queries.prefix(self.name, prefix, limit=_PAGE, cursor=cursor)))

    def latest(self) -> list[StoreRow]:
        """Return the latest row of every key, in key order: its last window, session or version."""
        return list(self._all(lambda cursor: self._queries.latest(self.name, limit=_PAGE, cursor=cursor)))

    def windows(self, key: Any, first: int, last: int) -> list[StoreRow]:
        """Return the windows or sessions of a key that overlap the times from `first` to `last`, in order."""
        return list(self._all(lambda cursor: self._queries.windows(self.name, key, first, last, limit=_PAGE, cursor=cursor)))

    def version(self, key: Any, as_of: int) -> StoreRow | None:
        """Return the version of a key's value that was valid at a time, None if there was none."""
        self._follower.catch_up(self.name)
        return next(iter(self._queries.version(self.name, key, as_of).rows), None)

    def to_pandas(self) -> "pd.DataFrame":
        """Return all rows as a data frame: a column for each field of dataclasses, and times in UTC. Needs pandas."""
        return frame_of(self.range(), self._follower.names)

    @property
    def freshness(self) -> Freshness:
        """How fresh the contents are."""
        self._follower.catch_up(self.name)
        return self._queries.freshness(self.name)

    def _all(self, page: Any) -> Iterator[StoreRow]:
        self._follower.catch_up(self.name)
        cursor = None
        while True:
            answer = page(cursor)
            yield from answer.rows
            cursor = answer.cursor
            if cursor is None:
                return


class ApplicationState:
    """The state of an application; use it with `with`, or call `close` at the end."""

    def __init__(self, queries: StateQueries, follower: ChangelogFollower, container: Container) -> None:
        self._queries, self._follower, self._container = queries, follower, container

    def stores(self) -> list[str]:
        """Return the names of the stores that have a changelog, sorted."""
        self._follower.catch_up()
        return sorted(self._follower.stores)

    def store(self, name: str | None = None) -> StoreState:
        """Return a store by its name, which may be omitted if there is one only.

        Raises:
            QueryError: there is no such store, or it has no changelog.
        """
        if name is None:
            names = self.stores()
            if len(names) != 1:
                found = ", ".join(names) or "none; run the flow with the setting changelog.stores=all"
                raise InvalidQueryError(f"name a store, such as state.store('NAME'); choose one of: {found}")
            name = names[0]
        else:
            self._follower.catch_up(name)
        return StoreState(self._queries, self._follower, name, self._queries.store(name).kind)

    def get(self, key: Any) -> Any:
        """Return the value of a key in the only store; see `StoreState.get`."""
        return self.store().get(key)

    def range(self, first: Any = None, last: Any = None) -> list[StoreRow]:
        """Return a range of the only store; see `StoreState.range`."""
        return self.store().range(first, last)

    def to_pandas(self) -> "pd.DataFrame":
        """Return all rows of the only store as a data frame."""
        return self.store().to_pandas()

    def close(self) -> None:
        """Close files and connections."""
        self._follower.model.close()
        self._container.log().close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.close()


def state(flow: Flow | str, *, flows: str | Sequence[str] = (), config: Path | None = None, **settings: Any) -> ApplicationState:
    """Return the state of an application, which is read from the changelogs of its stores.

    The flow may be running or not. Its stores have changelogs if it runs with the setting `changelog.stores`.

    Args:
        flow: The flow, or its name.
        flows: Modules or files with more flows, as `--flows` of the commands.
        config: The settings file; by default `eddyline.toml`, if it exists.
        settings: Settings of the flow, or of Eddyline with underscores for dots, as the run has them: `data_dir="data"`,
            `bootstrap_servers="127.0.0.1:9092"`, which implies `log="kafka"`.

    Raises:
        LookupError: The flow is unknown.
        ValueError: A setting is unknown or invalid.
        OSError: The event log or the read model cannot be used.
    """
    if isinstance(flow, str):
        flow = find_flow(flow, known_flows((flows,) if isinstance(flows, str) else flows, config))
    of_flow = {name: value for name, value in settings.items() if name in flow.settings}
    others = {name: value for name, value in settings.items() if name not in of_flow}
    if "bootstrap_servers" in others:
        others.setdefault("log", "kafka")
    found = load_settings({}, config, choices=tuple(flow.settings), **others)
    request = Request(flow, topology_of(flow, found, of_flow), found)
    container = Container(settings=found)
    container.check_log()
    return state_of(request, container)


def state_of(request: Request, container: Container) -> ApplicationState:
    """Return the state of an application, from a container of its settings."""
    follower = container.changelog_follower(request.topology, request.application_id)
    return ApplicationState(container.state_queries(follower=follower), follower, container)
