"""Tables whose values are transformed with state, and streams of their updates."""

from typing import Any, Literal

from eddyline.application.ports.state_store import KeyValueStore
from eddyline.application.topology import Table, TopologyBuilder
from eddyline.application.topology.processor import ProcessorContext, ValueTransformerWithKey
from eddyline.application.topology.stores import key_value_store
from tests.conformance.joins import pair

Kind = Literal["plain", "result-stored", "grouped", "stored-grouped", "filtered", "joined", "joins"]


class Numbered(ValueTransformerWithKey[str, Any, Any]):
    """Adds the number of calls for the key to the value."""

    def init(self, context: ProcessorContext[Any, Any]) -> None:
        self._calls: KeyValueStore[str, int] = context.state_store("calls")

    def transform(self, key: str, value: Any) -> Any:
        call = (self._calls.get(key) or 0) + 1
        self._calls.put(key, call)
        return None if value is None and call % 2 == 0 else {"value": value, "call": call}


class Described(ValueTransformerWithKey[str, Any, Any]):
    """Puts key and value into a text."""

    def transform(self, key: str, value: Any) -> Any:
        return None if value is None and key == "A" else f"{key}={'null' if value is None else value}"


def transform_values(builder: TopologyBuilder, *, kind: Kind = "plain", stored: bool = False) -> None:
    """Transform the values of the table of topic `numbers` into topic `even`."""
    numbers: Table[str, Any] = builder.table("numbers", key=str, value=object, store="numbers-rows" if stored else None)
    if kind.startswith("join"):
        described = numbers.transform_values(Described, value=object)
        more = builder.table("more", key=str, value=object)
        joined = more.left_join(described, pair) if kind == "joined" else described.join(more, pair)
        joined.to_stream().to("even")
        return
    builder.add_state_store(key_value_store("calls", key=str, value=int))
    results: Table[str, Any] = numbers.transform_values(
        Numbered, stores=["calls"], value=object, store="results" if kind.endswith(("stored", "stored-grouped")) else None
    )
    if kind == "filtered":
        results = results.filter(lambda key, _value: key == "C")
    elif kind.endswith("grouped"):
        grouped = results.group_by(lambda _key, value: ("all", value), key=str, value=object)
        grouped.count(store="counts").to_stream().to("even")
        return
    results.to_stream().to("even")


def to_stream_key(builder: TopologyBuilder) -> None:
    """Rename the updates of topic `numbers` into topic `renamed`, and count those of topic `more` into topic `counted`."""
    numbers: Table[str, Any] = builder.table("numbers", key=str, value=object)
    numbers.to_stream(lambda key, value: None if value is None else f"{key}{value}", key=str).to("renamed")
    more = builder.table("more", key=str, value=object).to_stream(lambda _key, _value: "all", key=str)
    more.group_by_key(name="all").count(store="counts").to_stream().to("counted")
