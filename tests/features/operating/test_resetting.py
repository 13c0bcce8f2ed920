"""Resetting the word count, with topics in files and on Kafka."""

import json
import re

from pytest_bdd import given, parsers, scenarios, then, when

from eddyline.adapters.kafka.event_sink import KafkaEventSink
from eddyline.adapters.kafka.groups.admin import ConsumerGroups
from eddyline.adapters.kafka.topics import Topics
from tests.adapters.kafka.conftest import eventually
from tests.features.operating.environment import Environment
from tests.features.tables import Table, rows

scenarios("operating/resetting.feature", "operating/resetting_on_kafka.feature")


@given("topic 'text-lines' contains these lines")
def lines(environment: Environment, datatable: Table) -> None:
    environment.write("text-lines", [(None, row["line"], at) for at, row in enumerate(rows(datatable), start=1)])


@given("the word count has run")
@when("the word count runs")
def word_count_runs(environment: Environment) -> None:
    environment.run("word-count")


@given(parsers.parse('the word count is running and has counted "{word}" {count:d} times'))
def word_count_is_running(environment: Environment, word: str, count: int) -> None:
    environment.start("word-count")
    eventually(lambda: _counts(environment, word)[-1:] == [count])


@when("the word count is stopped")
def word_count_is_stopped(environment: Environment) -> None:
    environment.stop()


@when("the word count is reset")
def word_count_is_reset(environment: Environment) -> None:
    environment.command("reset", "word-count", "--execute")


@when("the word count is reset with its output")
def word_count_is_reset_with_output(environment: Environment) -> None:
    environment.command("reset", "word-count", "--execute", "--with-output")


@when("the operator asks what a reset of the word count with its output would remove")
def dry_run(environment: Environment) -> None:
    environment.command("reset", "word-count", "--with-output")


@when("the operator tries to reset the word count")
def word_count_is_not_reset(environment: Environment) -> None:
    environment.command("reset", "word-count", "--execute", code=1)


@then(parsers.parse("the operator is warned that the old results in '{topic}' remain"))
def old_results_remain(environment: Environment, topic: str) -> None:
    assert f"the next run appends its results to '{topic}'" in environment.outcome.err


@then(parsers.parse("the records of topic '{topic}' are shown"))
def records_are_shown(environment: Environment, topic: str) -> None:
    assert re.search(rf"^ *records of a topic .*{topic} ", environment.outcome.out, re.MULTILINE)


@then("nothing is changed")
def nothing_is_changed(environment: Environment) -> None:
    assert "nothing was changed" in environment.outcome.err


@then("the operator sees that there is nothing to reset")
def nothing_to_reset(environment: Environment) -> None:
    assert "there is nothing to reset" in environment.outcome.err


@then("the reset is refused because the word count is running")
def reset_is_refused(environment: Environment) -> None:
    assert "'word-count' is running" in environment.outcome.err


@then(parsers.parse("the counts of \"{word}\" in 'word-counts' are {counts}"))
def counts_are(environment: Environment, word: str, counts: str) -> None:
    assert _counts(environment, word) == [int(count) for count in counts.split(", ")]


@then("Kafka has no group and no topic that belongs to the word count")
def nothing_belongs_to_the_word_count(environment: Environment) -> None:
    KafkaEventSink(environment.kafka).close()
    names = [group.name for group in ConsumerGroups(environment.kafka).list()] + list(Topics(environment.kafka).names())
    assert not [name for name in names if name == "word-count" or name.startswith("word-count-")]


def _counts(environment: Environment, word: str) -> list[int]:
    return [json.loads(record.value or b"0") for record in environment.records("word-counts") if record.key == word.encode()]
