"""The word count."""

from pytest_bdd import given, parsers, scenarios, then, when

from tests.features.running import Scenario, Table, rows

scenarios("word_count")


@given("the word count")
def word_count(scenario: Scenario) -> None:
    scenario.use("word-count")


@given(parsers.parse('the stop words are "{words}"'))
def stop_words(scenario: Scenario, words: str) -> None:
    scenario.use("word-count", stop_words=words.split(", "))


@when("these lines come in")
def lines(scenario: Scenario, datatable: Table) -> None:
    for number, row in enumerate(rows(datatable)):
        scenario.arrives("text-lines", None, row["line"], number)


@then("these counts are told")
def told(scenario: Scenario, datatable: Table) -> None:
    assert [(record["key"], record["value"]) for record in scenario.left("word-counts")] == _counts(datatable)


@then("nothing is told")
def nothing_told(scenario: Scenario) -> None:
    assert scenario.left("word-counts") == []


@then("the counts are at last")
def at_last(scenario: Scenario, datatable: Table) -> None:
    assert [(row["key"], row["value"]) for row in scenario.store("word-count-store")] == _counts(datatable)


def _counts(datatable: Table) -> list[tuple[str, int]]:
    return [(row["word"], int(row["count"])) for row in rows(datatable)]
