"""The product counter, as its owner tells it."""

from pytest_bdd import given, parsers, scenarios, then, when

from tests.features.running import Scenario, Table, milliseconds, rows

scenarios("product_counter")


@given("counts are told by the time of the views")
def by_stream_time(scenario: Scenario) -> None:
    scenario.use("product-counter", punctuation="stream")


@given("counts are told by the clock on the wall")
def by_wall_clock(scenario: Scenario) -> None:
    scenario.use("product-counter", punctuation="wall")


@when("these products are seen")
def views(scenario: Scenario, datatable: Table) -> None:
    for row in rows(datatable):
        scenario.arrives("product-views", row["product"], "view", milliseconds(row["at"]))


@when(parsers.parse("{product} is withdrawn"))
def withdrawn(scenario: Scenario, product: str) -> None:
    scenario.arrives("product-views", product, None, 200)


@when(parsers.re(r"(?P<duration>\d+ (ms|s)) pass"))
def time_passes(scenario: Scenario, duration: str) -> None:
    scenario.wall_clock_moves(milliseconds(duration))


@then("these counts are told")
def counts(scenario: Scenario, datatable: Table) -> None:
    told = [(record["key"], record["value"], record["timestamp"]) for record in scenario.left("product-counts")]
    assert told == [(row["product"], int(row["count"]), milliseconds(row["at"])) for row in rows(datatable)]


@then("no counts are told")
def nothing_told(scenario: Scenario) -> None:
    assert scenario.left("product-counts") == []
