"""Lists of the shares that moved most: of all shares, by sector, and by day."""

from pytest_bdd import given, parsers, scenarios, then, when
from pytest_bdd import scenario as of_feature

from eddyline.testing import Scenario
from tests.features.recording import RecordedFlow
from tests.features.tables import Table

scenarios("trading/top_movers.feature", "trading/top_movers_by_sector.feature", "trading/top_movers_from_prices.feature")

SHARE = {"share": "key"}
ALL = "all"
"""The key of the one list of all shares."""


@of_feature("trading/what_cannot_be_true.feature", "A daily price has an open and a close above 0")
def test_what_is_no_daily_price() -> None: ...


@of_feature("operating/restarts.feature", "The list of shares is complete after a restart")
def test_restart() -> None: ...


@given("the top movers are listed")
def top_movers(flow: RecordedFlow) -> None:
    flow.use("top-movers")


@given(parsers.parse("the top {n:d} movers are listed"))
def top_n_movers(flow: RecordedFlow, n: int) -> None:
    flow.use("top-movers", n=n)


@given(parsers.parse("the top {n:d} movers of each sector are listed"))
def top_movers_by_sector(flow: RecordedFlow, n: int) -> None:
    flow.use("top-movers", n=n, group_by="sector")


@given(parsers.parse("the top {n:d} movers of each day in {zone} are listed"))
def top_movers_by_day(flow: RecordedFlow, n: int, zone: str) -> None:
    flow.use("top-movers", kind="ticks", n=n, zone=zone)


@when("these daily prices arrive")
def daily_prices_arrive(scenario: Scenario, datatable: Table) -> None:
    scenario.pipe("daily-prices", datatable, columns=SHARE)


@when(parsers.parse("the daily price of {share} is withdrawn"))
def daily_price_is_withdrawn(scenario: Scenario, share: str) -> None:
    scenario.pipe("daily-prices", [{"key": share}])


@when("these prices arrive")
def prices_arrive(scenario: Scenario, datatable: Table) -> None:
    scenario.pipe("daily-prices", datatable, columns=SHARE)


@then("the list changes to")
def list_changes(flow: RecordedFlow, datatable: Table) -> None:
    list_of_group_changes(flow, ALL, datatable)


@then(parsers.parse("the list for {group} changes to"))
def list_of_group_changes(flow: RecordedFlow, group: str, datatable: Table) -> None:
    found = [record.value for record in flow.outputs("top-movers") if record.key == group]
    moves = [[f"{share.symbol} {share.change_percent:+.1f}%" for share in shares] for shares in found]
    assert [[", ".join(shares)] for shares in moves] == datatable[1:]


@then(parsers.parse("the top movers are {shares}"))
def top_movers_are(scenario: Scenario, shares: str) -> None:
    top_movers_of_group_are(scenario, ALL, shares)


@then(parsers.parse("the top movers in {group} are {shares}"))
@then(parsers.parse("the top movers on {group} are {shares}"))
def top_movers_of_group_are(scenario: Scenario, group: str, shares: str) -> None:
    expected = [["symbol"], [shares]]
    assert scenario.latest("top-movers", like=expected, where={"key": group}) == expected


@then(parsers.parse("the list for {group} is empty"))
def list_is_empty(scenario: Scenario, group: str) -> None:
    top_movers_of_group_are(scenario, group, "")
