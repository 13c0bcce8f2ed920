"""Stores that a supplier brings along."""

from collections.abc import Iterable

import pytest

from eddyline.application.topology import TopologyBuilder, TopologyError
from eddyline.application.topology.processor import FixedKeyProcessor, Record
from eddyline.application.topology.stores import ConnectedStoreProvider, StoreSpec, key_value_store


class LastValue(FixedKeyProcessor[str, str, str]):
    """Keeps the last value."""

    def process(self, record: Record[str, str]) -> None:
        self.context.state_store("kept").put(record.key, record.value)


class LastValues(ConnectedStoreProvider):
    """Brings a store along whose values have a type."""

    def __init__(self, value: type) -> None:
        self._value = value

    def __call__(self) -> LastValue:
        return LastValue()

    def stores(self) -> Iterable[StoreSpec]:
        return [key_value_store("kept", key=str, value=self._value)]


def test_the_store_is_added_and_connected() -> None:
    builder = TopologyBuilder()
    builder.stream("in", key=str, value=str).process_values(LastValues(str), value=str, name="keep").to("out")
    topology = builder.build()
    assert topology.by_name["keep"].stores == ("kept",)
    assert topology.stores["kept"].value_type is str


def test_the_processor_api_takes_such_suppliers_too() -> None:
    builder = TopologyBuilder()
    builder.add_source("source", "in", key=str, value=str)
    builder.add_state_store(key_value_store("other", key=str, value=str))
    builder.add_processor("keep", LastValues(str), parents=["source"], stores=["other"])
    assert builder.build().by_name["keep"].stores == ("other", "kept")


def test_another_store_of_the_same_name_is_refused() -> None:
    builder = TopologyBuilder()
    stream = builder.stream("in", key=str, value=str)
    stream.process_values(LastValues(str))
    with pytest.raises(TopologyError, match="the supplier of operator 'again' brings along the store 'kept', but another"):
        stream.process_values(LastValues(int), name="again")
