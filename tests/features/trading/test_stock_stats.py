"""Stock statistics by ticker and window."""

from pytest_bdd import given, parsers, scenarios, then, when
from pytest_bdd import scenario as of_feature

from eddyline.testing import Scenario, milliseconds
from tests.features.recording import RecordedFlow
from tests.features.tables import Table

scenarios("trading/stock_stats.feature", "trading/stock_stats_late_trades.feature")

CANNOT_BE_TRUE = "trading/what_cannot_be_true.feature"
TRADE = {"ticker": ("key", "value.ticker")}
STATISTICS = {"ticker": "key", "trades": "count_trades", "lowest price": "min_price", "average price": "avg_price"}


@of_feature(CANNOT_BE_TRUE, "A trade has a side, a ticker, a price above 0 and a size")
def test_what_is_no_trade() -> None: ...


@of_feature(CANNOT_BE_TRUE, "A trade of another share does not count")
def test_trades_of_other_shares() -> None: ...


@given("trades are summarized by ticker")
def trades_are_summarized(flow: RecordedFlow) -> None:
    flow.use("stock-stats")


@given(parsers.parse("late trades are accepted for {duration}"))
def late_trades_are_accepted(flow: RecordedFlow, duration: str) -> None:
    flow.set(grace_ms=milliseconds(duration))


@when("these trades arrive")
def trades_arrive(scenario: Scenario, datatable: Table) -> None:
    constants = {"type": "ASK", "size": 100}
    given = {name: value for name, value in constants.items() if name not in datatable[0]}
    scenario.pipe("trades", datatable, columns=TRADE, constants=given)


@when(parsers.parse("a report without a trade arrives for {ticker} at {time}"))
def no_trade_arrives(scenario: Scenario, ticker: str, time: str) -> None:
    scenario.pipe("trades", [{"key": ticker, "time": time}])


@when(parsers.parse("a trade of {ticker} at {price} is reported for {other} at {time}"))
def trade_is_reported_for_another_share(scenario: Scenario, ticker: str, price: str, other: str, time: str) -> None:
    columns = {"key": other, "value.ticker": ticker, "type": "ASK", "price": price, "size": "100", "time": time}
    scenario.pipe("trades", [columns])


@then("the statistics are")
def statistics_are(scenario: Scenario, datatable: Table) -> None:
    assert scenario.outputs("stock-stats", like=datatable, columns=STATISTICS) == datatable


@then(parsers.parse("the statistics for {ticker} starting at {start} are"))
def statistics_of_window_are(scenario: Scenario, ticker: str, start: str, datatable: Table) -> None:
    window = {"ticker": ticker, "window start": start}
    assert scenario.latest("stock-stats", like=datatable, columns=STATISTICS, where=window) == datatable


@then(parsers.parse("there are no statistics for {ticker} starting at {start}"))
def no_statistics(scenario: Scenario, ticker: str, start: str) -> None:
    window = {"ticker": ticker, "window start": start}
    assert scenario.outputs("stock-stats", like=[["trades"]], columns=STATISTICS, where=window) == [["trades"]]
