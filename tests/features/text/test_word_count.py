"""Counts of words."""

from pytest_bdd import given, parsers, scenarios, then, when

from eddyline.testing import Scenario
from tests.features.recording import RecordedFlow
from tests.features.tables import Table

scenarios("text/word_count.feature", "text/what_cannot_be_true.feature")

COLUMNS = {"word": "key", "count": "value"}


@given("words are counted")
def words_are_counted(flow: RecordedFlow) -> None:
    flow.use("word-count")


@given(parsers.parse('the stop words are "{words}"'))
def stop_words(flow: RecordedFlow, words: str) -> None:
    flow.use("word-count", stop_words=words.split(", "))


@when("these lines arrive")
def lines_arrive(scenario: Scenario, datatable: Table) -> None:
    scenario.pipe("text-lines", datatable, columns={"line": "value"})


@when("a line arrives that is no text")
def no_text_arrives(flow: RecordedFlow) -> None:
    flow.pipe_bytes("text-lines", "book", b"\xff\xfe")


@then(parsers.parse("{count:d} line is set aside"))
def lines_are_set_aside(flow: RecordedFlow, count: int) -> None:
    assert [letter["reason"] for letter in flow.results.dead_letters] == ["string: not UTF-8 at byte 0"] * count


@then("the counts are")
def counts_are(scenario: Scenario, datatable: Table) -> None:
    assert scenario.outputs("word-counts", like=datatable, columns=COLUMNS) == datatable


@then("there are no counts")
def no_counts(flow: RecordedFlow) -> None:
    assert flow.outputs("word-counts") == []


@then("the final counts are")
def final_counts_are(scenario: Scenario, datatable: Table) -> None:
    assert scenario.latest("word-counts", like=datatable, columns=COLUMNS) == datatable
