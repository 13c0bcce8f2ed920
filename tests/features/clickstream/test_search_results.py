"""What searches lead to, and clicks per page and zip code."""

from pytest_bdd import given, parsers, scenarios, then

from tests.features.recording import RecordedFlow
from tests.features.tables import Table, rows

scenarios("clickstream/search_results.feature")


@given("clicks count as results of a search for 30 seconds")
def clicks_count(flow: RecordedFlow) -> None:
    flow.use("search-results")


@then(parsers.parse('the results of "{query}" are'))
def results_are(flow: RecordedFlow, query: str, datatable: Table) -> None:
    found = [record.value for record in flow.outputs("results-per-query") if record.key == query][-1]
    assert [(page.page, page.clicks) for page in found.pages] == [(row["page"], int(row["clicks"])) for row in rows(datatable)]
    assert (found.clicks, found.without_click) == (sum(page.clicks for page in found.pages), 0)


@then(parsers.parse('"{query}" was followed by no click {times:d} time'))
def no_click(flow: RecordedFlow, query: str, times: int) -> None:
    found = [record.value for record in flow.outputs("results-per-query") if record.key == query][-1]
    assert (found.clicks, found.without_click) == (0, times)


@then(parsers.parse("the clicks per {what} are"))
def clicks_are(flow: RecordedFlow, what: str, datatable: Table) -> None:
    topic = f"clicks-per-{what.replace(' ', '-')}"
    found = {record.key: record.value for record in flow.outputs(topic)}
    assert found == {row[what]: int(row["clicks"]) for row in rows(datatable)}
