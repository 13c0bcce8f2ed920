"""Stores of stream-stream joins that the user chooses."""

from typing import Any

import pytest

from eddyline.application.topology import Topology, TopologyBuilder, TopologyError, join_windows
from eddyline.application.topology.joins import StreamJoined, stream_joined
from eddyline.application.topology.stores import key_value_store, window_store


def joined_in(stores: StreamJoined | None, operator: str = "left_join") -> Topology:
    builder = TopologyBuilder()
    left, right = (builder.stream(topic, key=str, value=str) for topic in ("left", "right"))
    join = getattr(left, operator)
    join(right, lambda one, other: (one, other), windows=join_windows(before=5, after=10, grace=2), joined=stores).to("out")
    return builder.build()


def own(name: str, **settings: Any) -> Any:
    return window_store(name, key=str, value=str, **{"retention": 17, "window_size": 15, **settings})


def test_the_names_of_the_stores_begin_with_the_chosen_name() -> None:
    assert list(joined_in(stream_joined(store_name="kept")).stores) == [
        "kept-left-store",
        "kept-right-store",
        "kept-unmatched-store",
    ]
    assert next(iter(joined_in(None).stores)) == "left-right-left-join-left-store"


def test_a_store_of_ones_own_keeps_lists_of_the_values_of_its_side() -> None:
    stores = joined_in(stream_joined(this_store=own("mine"), other_store=own("yours")), "join").stores
    assert list(stores) == ["mine", "yours"]
    assert (stores["mine"].retention_ms, stores["mine"].value_type) == (17, list[str])


@pytest.mark.parametrize("settings", [{"retention": 16}, {"window_size": 14}])
def test_a_store_must_fit_the_window_of_the_join(settings: Any) -> None:
    with pytest.raises(TopologyError, match=r"store 'mine' of join .* pass window_size=15 and retention=17"):
        joined_in(stream_joined(this_store=own("mine", **settings)))


def test_a_store_must_be_a_window_store() -> None:
    with pytest.raises(TopologyError, match="other_store 'rows' of stream_joined is a key-value store; pass window_store"):
        stream_joined(other_store=key_value_store("rows", key=str, value=str))


def test_both_stores_must_have_different_names() -> None:
    with pytest.raises(TopologyError, match="both stores of stream_joined have the name 'mine'"):
        stream_joined(this_store=own("mine"), other_store=own("mine"))
