import pytest

from eddyline.application.flows.flow import Flow
from eddyline.application.flows.registry import UnknownFlowError, find_flow
from eddyline.application.topology import TopologyBuilder


def define(builder: TopologyBuilder) -> None:
    builder.stream("lines", key=str, value=str).to("out")


FLOWS = [Flow(name, "Forwards lines.", define) for name in ("stock-stats", "stock-movers", "word-count")]


def test_a_flow_is_found_by_its_name() -> None:
    assert find_flow("word-count", FLOWS) is FLOWS[2]


def test_the_first_of_several_flows_of_the_same_name_is_found() -> None:
    other = Flow("word-count", "Forwards lines.", define)
    assert find_flow("word-count", [other, *FLOWS]) is other


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("stok-stats", "unknown flow 'stok-stats'; did you mean 'stock-stats'?"),
        ("stock-mats", "unknown flow 'stock-mats'; did you mean 'stock-stats'?"),
        ("weather", "unknown flow 'weather'; choose one of: stock-stats, stock-movers, word-count"),
    ],
)
def test_the_error_for_an_unknown_flow_names_the_most_similar_one_or_all(name: str, message: str) -> None:
    with pytest.raises(UnknownFlowError) as error:
        find_flow(name, FLOWS)
    assert str(error.value) == message
