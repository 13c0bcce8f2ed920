"""Entries of stores are encoded as they will be saved, to find those that cannot be."""

from typing import Any

import pytest

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.application.ports.codec import Codec, CodecError
from eddyline.application.ports.state_store import StoreChange
from eddyline.application.runtime.task.creation import StateCheck
from eddyline.application.topology import TopologyBuilder


class CountingCodecs(JsonCodecs):
    """Codecs that note for which types of stores they are asked."""

    def __init__(self) -> None:
        super().__init__()
        self.requested: list[Any] = []

    def for_state(self, value_type: Any) -> Codec:
        self.requested.append(value_type)
        return super().for_state(value_type)


@pytest.fixture
def codecs() -> CountingCodecs:
    return CountingCodecs()


@pytest.fixture
def check(codecs: CountingCodecs) -> StateCheck:
    builder = TopologyBuilder()
    builder.stream("in", key=str, value=str).group_by_key().count(store="counts")
    return StateCheck(builder.build(), codecs)


@pytest.mark.parametrize("change", [StoreChange(object(), (1, 5)), StoreChange("a", (object(), 5))], ids=["key", "value"])
def test_a_key_and_a_value_that_cannot_be_encoded_are_refused(check: StateCheck, change: StoreChange) -> None:
    with pytest.raises(CodecError):
        check([("counts", change)])


def test_the_codecs_of_a_store_are_chosen_once(check: StateCheck, codecs: CountingCodecs) -> None:
    for _ in range(2):
        check([("counts", StoreChange(key, (1, 5))) for key in "ab"])
    assert codecs.requested == [str, tuple[int, int]]
