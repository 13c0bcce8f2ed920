"""Versioned tables, and joins of streams with them."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from eddyline import (
    Processor,
    ProcessorContext,
    Record,
    Table,
    TopologyBuilder,
    VersionedKeyValueStore,
    versioned_key_value_store,
)
from eddyline.application.topology.stores import StoreSpec


class _Sources:
    """The tables of a case; those with versions have a store `<topic>-versions`."""

    def __init__(self, builder: TopologyBuilder, history_retention_ms: int) -> None:
        self.builder = builder
        self._history = history_retention_ms

    def versions(self, name: str) -> StoreSpec:
        return versioned_key_value_store(name, key=str, value=object, history_retention=self._history)

    def table(self, topic: str) -> Table[str, Any]:
        return self.builder.table(topic, key=str, value=object, store=self.versions(f"{topic}-versions"))

    def plain(self, topic: str) -> Table[str, Any]:
        return self.builder.table(topic, key=str, value=object, store=f"{topic}-rows")

    def of_more(self) -> Table[str, Any]:
        return self.builder.stream("more", key=str, value=object).to_table(store=self.versions("more-versions"))

    def count_of_more(self) -> Table[str, int]:
        return self.builder.stream("more", key=str, value=object).group_by_key().count(store=self.versions("counts"))


def versioned_tables(
    builder: TopologyBuilder, *, kind: str = "table", history_retention_ms: int = 100, grace_ms: int | None = None
) -> None:
    """Read topics `prices` and `more` as versioned tables; write what operators emit for updates out of order to `out`."""
    sources = _Sources(builder, history_retention_ms)
    if kind == "processor":
        builder.add_state_store(sources.versions("versions"))
        builder.stream("commands", key=str, value=object).process(_Versions, stores=["versions"]).to("out")
        return
    prices = sources.table("prices")
    if kind in _TABLES:
        _TABLES[kind](sources, prices).to_stream().to("out")
        return
    orders = builder.stream("orders", key=str, value=object)
    join: Any = orders.join if kind == "stream-inner" else orders.left_join
    join(_JOINED_TABLES[kind](sources, prices), _pair, grace=grace_ms, name="priced").to("out")


class _Versions(Processor[str, Any, str, Any]):
    """Puts, deletes and gets versions: a value is {"put": value}, {"delete": true}, {"get": true} or {"as_of": timestamp}."""

    def init(self, context: ProcessorContext[str, Any]) -> None:
        self._context = context
        self._store: VersionedKeyValueStore[str, Any] = context.state_store("versions")

    def process(self, record: Record[str, Any]) -> None:
        key, command, timestamp = record.key, record.value, record.timestamp
        if "put" in command:
            self._context.forward(Record(key, self._store.put(key, command["put"], timestamp), timestamp))
            return
        found = self._store.delete(key, timestamp) if "delete" in command else self._store.get(key, command.get("as_of"))
        self._context.forward(Record(key, [] if found is None else [found.value, found.timestamp], timestamp))


def _even(_key: str, value: Any) -> bool:
    return bool(value % 2 == 0)


def _incremented(value: Any) -> object:
    return value + 1


def _times_ten(value: Any) -> object:
    return value * 10


def _same(value: Any) -> object:
    return value


def _by_parity(_key: str, value: Any) -> tuple[str, object]:
    return ("odd" if value % 2 else "even"), value


def _all(_key: str, value: Any) -> tuple[str, object]:
    return "all", value


def _pair(left: Any, right: Any) -> dict[str, Any]:
    return {"left": left, "right": right}


_Define = Callable[[_Sources, Table[str, Any]], Table[Any, Any]]

_TABLES: Final[Mapping[str, _Define]] = {
    "table": lambda _given, prices: prices,
    "of-stream": lambda given, _prices: given.of_more(),
    "filter": lambda _given, prices: prices.filter(_even),
    "filter-stored": lambda _given, prices: prices.filter(_even, store="even-rows"),
    "filter-versioned": lambda given, prices: prices.filter(_even, store=given.versions("even-versions")),
    "map": lambda _given, prices: prices.map_values(_incremented),
    "map-versioned": lambda given, prices: prices.map_values(_incremented, store=given.versions("mapped-versions")),
    "count": lambda _given, prices: prices.group_by(_by_parity, name="parity").count(store="counts"),
    "count-filtered": lambda _given, prices: prices.filter(_even).group_by(_all, name="all").count(store="counts"),
    "stream-count": lambda given, _prices: given.count_of_more(),
    "join-inner": lambda given, prices: prices.join(given.plain("more"), _pair),
    "join-left": lambda given, prices: prices.left_join(given.table("more"), _pair),
    "join-outer": lambda given, prices: prices.outer_join(given.table("more"), _pair),
    "join-right-versioned": lambda given, prices: given.plain("more").left_join(prices, _pair),
    "join-filtered": lambda given, prices: prices.filter(_even).left_join(given.table("more").map_values(_same), _pair),
    "join-unversioned-filter": lambda given, prices: prices.filter(_even, store="even-rows").left_join(
        given.table("more"), _pair
    ),
    "join-versioned-result": lambda given, prices: prices.left_join(
        given.table("more"), _pair, store=given.versions("joined-versions")
    ),
    "foreign-key": lambda given, prices: prices.join(given.table("more"), _pair, foreign_key=str),
    "foreign-key-left": lambda given, prices: prices.left_join(given.table("more"), _pair, foreign_key=str),
}

_JOINED_TABLES: Final[Mapping[str, _Define]] = {
    "stream-inner": lambda _given, prices: prices,
    "stream-left": lambda _given, prices: prices,
    "stream-filtered": lambda _given, prices: prices.filter(_even).map_values(_times_ten),
    "stream-of-count": lambda given, _prices: given.count_of_more(),
    "stream-of-joined": lambda given, prices: prices.left_join(given.table("more"), _pair),
}
