"""A topology that is spoken to in tables."""

import inspect
import re
import textwrap
from typing import Any

import pytest

from eddyline import TopologyBuilder, tumbling
from eddyline.application.samples.catalogue import find_flow
from eddyline.testing import MemoryEngine, Scenario, TextTableError
from eddyline.testing import Output as Record
from tests.fixtures.payments import Payment, Takings

COLUMNS = {"shop": "key", "takings": "total"}
PAYMENT = {"shop": ("key", "value.shop")}


@pytest.fixture
def scenario() -> Scenario:
    """Return a scenario for a topology that copies payments, counts them, and sums them by minute."""
    builder = TopologyBuilder()
    payments = builder.stream("payments", key=str, value=Payment)
    payments.to("copies")
    grouped = payments.filter(lambda _shop, payment: payment is not None).group_by_key()
    grouped.windowed_by(tumbling(60_000, grace=0)).aggregate(Takings, Takings.add, store="takings").to_stream().to("takings")
    grouped.count(store="counts").to_stream().to("counts")
    return Scenario(MemoryEngine(builder.build()))


def records(scenario: Scenario, topic: str) -> list[Record]:
    assert isinstance(scenario.engine, MemoryEngine)
    return scenario.engine.outputs(topic)


def test_outputs_are_written_as_the_expected_table_writes_them(scenario: Scenario) -> None:
    payments = [["shop", "amount", "time"], ["north", "8", "1 s"], ["north", "4.50", "1 min"], ["south", "3", "62000"]]
    expected = [
        ["shop", "window start", "window end", "takings", "time"],
        ["north", "0 s", "1 min", "8.00", "1 s"],
        ["north", "1 min", "120 s", "4.50", "1 min"],
        ["south", "60 s", "2 min", "3", "62000"],
    ]
    scenario.pipe("payments", payments, columns=PAYMENT)
    assert scenario.outputs("takings", like=expected, columns=COLUMNS) == expected


def test_unexpected_outputs_are_written_plainly(scenario: Scenario) -> None:
    scenario.pipe("payments", [{"shop": "north", "amount": 8.5, "time": 61_000}], columns=PAYMENT)
    expected = [["shop", "window start", "window length", "takings"], ["south", "1 s", "1 s", "1"]]
    assert scenario.outputs("takings", like=expected, columns=COLUMNS)[1:] == [["north", "60 s", "60000", "8.5"]]


def test_where_keeps_the_records_that_have_these_cells(scenario: Scenario) -> None:
    payments = [["shop", "amount"], ["north", "8"], ["south", "4"], ["north", "2"]]
    scenario.pipe("payments", payments, columns=PAYMENT)
    found = scenario.outputs("takings", like=[["takings"]], columns=COLUMNS, where={"shop": "north", "window start": "0 s"})
    assert found == [["takings"], ["8"], ["10"]]


def test_latest_shows_the_last_record_of_each_key_and_window(scenario: Scenario) -> None:
    payments = [
        ["shop", "amount", "time"],
        ["south", "8", "1 s"],
        ["north", "4", "1 s"],
        ["south", "2", "2 s"],
        ["south", "1", "61 s"],
    ]
    scenario.pipe("payments", payments, columns=PAYMENT)
    found = scenario.latest("takings", like=[["shop", "window start", "takings"]], columns=COLUMNS)
    assert found[1:] == [["north", "0 s", "4"], ["south", "0 s", "10"], ["south", "60 s", "1"]]


def test_latest_leaves_out_keys_that_were_deleted(scenario: Scenario) -> None:
    payments = [["shop", "amount"], ["north", "8"], ["south", "4"]]
    scenario.pipe("payments", payments, columns=PAYMENT)
    scenario.pipe("payments", [["key"], ["north"]])
    assert scenario.latest("copies", like=[["key", "amount"]]) == [["key", "amount"], ["south", "4"]]


def test_stores_are_tables(scenario: Scenario) -> None:
    scenario.pipe("payments", [["shop", "amount"], ["south", "8"], ["north", "4"], ["south", "2"]], columns=PAYMENT)
    assert scenario.store("counts", like=[["shop", "count"]], columns={"shop": "key", "count": "value"}) == [
        ["shop", "count"],
        ["north", "1"],
        ["south", "2"],
    ]
    assert scenario.store("takings", like=[["key", "window end", "payments"]])[1:] == [
        ["north", "60 s", "1"],
        ["south", "60 s", "2"],
    ]


def test_a_record_without_value_cells_is_a_tombstone(scenario: Scenario) -> None:
    scenario.pipe("payments", [["key", "time"], ["north", "5 s"]])
    scenario.pipe("payments", [["key", "shop", "amount"], ["", "", ""]])
    assert [(record.key, record.value, record.timestamp) for record in records(scenario, "copies")] == [
        ("north", None, 5_000),
        (None, None, 0),
    ]


def test_constants_are_shared_and_headers_are_text(scenario: Scenario) -> None:
    scenario.pipe("payments", [["amount"], ["1"], ["2"]], constants={"value.shop": "north", "headers.trace": "t1"})
    assert [(record.value, record.headers) for record in records(scenario, "copies")] == [
        (Payment("north", 1.0), (("trace", b"t1"),)),
        (Payment("north", 2.0), (("trace", b"t1"),)),
    ]
    expected = [["headers.trace"], ["t1"], ["t1"]]
    assert scenario.outputs("copies", like=expected) == expected


def test_a_field_of_a_list_is_the_list_of_the_fields() -> None:
    builder = TopologyBuilder()
    builder.stream("baskets", key=str, value=list[Payment]).to("copies")
    scenario = Scenario(MemoryEngine(builder.build()))
    baskets: list[list[Any]] = [["value"], [[Payment("north", 1.0), Payment("south", 2.5)]], [[]]]
    scenario.pipe("baskets", baskets)
    expected = [["shops", "amounts"], ["north, south", "1, 2.50"], ["", ""]]
    assert scenario.outputs("copies", like=expected, columns={"shops": "shop", "amounts": "amount"}) == expected


def test_topics_that_the_records_choose_may_be_empty() -> None:
    builder = TopologyBuilder()
    builder.stream("payments", key=str, value=Payment).to(lambda _key, payment: payment.shop)
    scenario = Scenario(MemoryEngine(builder.build()))
    scenario.pipe("payments", [["shop", "amount"], ["north", "8"]])
    assert scenario.outputs("north", like=[["amount"]]) == [["amount"], ["8"]]
    assert scenario.outputs("south", like=[["amount"]]) == [["amount"]]


def test_an_empty_cell_counts_as_absent(scenario: Scenario) -> None:
    scenario.pipe("payments", [["key", "time", "shop", "amount"], ["", "", "north", "8"]])
    assert [(record.key, record.timestamp) for record in records(scenario, "copies")] == [(None, 0)]


def test_the_example_in_the_docstring_runs() -> None:
    (example, _) = re.findall(r"```python\n(.*?)```", inspect.getdoc(Scenario) or "", re.DOTALL)
    names = {"Scenario": Scenario, "MemoryEngine": MemoryEngine, "flow": find_flow("stock-stats")}
    exec(textwrap.dedent(example), names)  # noqa: S102 - running the example is the test


def test_the_wall_clock_advances_by_durations(scenario: Scenario) -> None:
    scenario.advance_wall_clock("1.5 min")
    scenario.advance_wall_clock(500)
    assert isinstance(scenario.engine, MemoryEngine)
    assert scenario.engine.wall_clock_ms == 90_500


@pytest.mark.parametrize(
    ("topic", "row", "reason"),
    [
        ("payment", {"amount": "1"}, "the topology does not read topic 'payment'; it reads: payments"),
        ("payments", {"price": "1"}, "topic 'payments': Payment has no field 'price'; it has: shop, amount"),
        ("payments", {"amount": "1"}, "topic 'payments': Payment: shop: Field required, not {'amount': 1.0}"),
        ("payments", {"amount": "dear"}, "topic 'payments': float: Input should be a valid number, .* not 'dear'"),
        ("payments", {"shop": "north", "amount": "1", "time": "soon"}, "topic 'payments': 'soon' is neither a duration such as"),
    ],
)
def test_what_does_not_fit_is_refused(scenario: Scenario, topic: str, row: dict[str, str], reason: str) -> None:
    with pytest.raises(TextTableError, match=reason):
        scenario.pipe(topic, [row])


def test_a_column_that_no_record_has_is_refused(scenario: Scenario) -> None:
    scenario.pipe("payments", [["shop", "amount"], ["north", "8"]], columns=PAYMENT)
    with pytest.raises(TextTableError, match="topic 'takings': Takings has no field 'price'; it has: payments, total"):
        scenario.outputs("takings", like=[["price"]])
    with pytest.raises(TextTableError, match="topic 'counts': int has no fields, so none is called 'count'; map the header"):
        scenario.outputs("counts", like=[["count"]])
    with pytest.raises(TextTableError, match="topic 'takings': 'soon' is neither a duration such as"):
        scenario.outputs("takings", like=[["total"]], where={"window start": "soon"})
    with pytest.raises(
        TextTableError, match="the topology does not write to topic 'taking'; it writes to: copies, takings, counts"
    ):
        scenario.outputs("taking", like=[["price"]])
    with pytest.raises(TextTableError, match="row 2 has 1 cells, but the header has 2: key, total"):
        scenario.outputs("takings", like=[["key", "total"], ["north", "1"], ["south"]])
    with pytest.raises(TextTableError, match=r"store 'counts': rows of a store have no headers, so there is no 'headers.trace'"):
        scenario.store("counts", like=[["headers.trace"]])
    with pytest.raises(LookupError, match="store 'conts' is unknown; this topology has: "):
        scenario.store("conts", like=[["key"]])
