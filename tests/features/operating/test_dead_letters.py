"""Dead letters of a flow that copies and counts trades, and redriving them."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pytest_bdd import given, parsers, scenarios, then, when

from eddyline.adapters.container import Container
from eddyline.adapters.memory.clock import MemoryClock
from eddyline.adapters.settings import Settings
from eddyline.application.operations.dead_letter_log import DeadLetter, DeadLetterLog
from eddyline.application.operations.redrive import Outcome, Redriver
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.domain.trading import Price
from tests.adapters.invalid_records import copy_and_count_topology, engine_for, read_all
from tests.features.tables import Table, rows

scenarios("operating/dead_letters.feature")


class CopyingFlow:
    """The flow over topics in files, and its dead letters; `redriven` counts the outcomes of the last redrive."""

    def __init__(self, folder: Path, spark: SparkSession | None) -> None:
        settings = Settings.load({"data.dir": str(folder), "emit": "every-update", "num.partitions": 2, "trigger.interval.ms": 0})
        container = Container(settings=settings)
        self.log, self.sink, self.redriven = container.log(), container.sink(), Counter[Outcome]()
        self.sink.create_topic("trades", 2)
        self.runner = engine_for(container, copy_and_count_topology("trades", Price), "app", folder / "checkpoint", spark)

    def dead_letters(self) -> list[DeadLetter]:
        return list(DeadLetterLog(self.log, "app"))

    def redrive(self, letters: Iterable[DeadLetter]) -> None:
        redriver = Redriver(self.log, self.sink, MemoryClock(), "app")
        self.redriven = Counter(step.outcome for step in redriver.redrive(letters))

    def count(self, topic: str) -> int:
        return len(read_all(self.log, topic)) if topic in self.log.topics() else 0


@pytest.fixture
def copying(engine: str, tmp_path: Path, request: pytest.FixtureRequest) -> CopyingFlow:
    return CopyingFlow(tmp_path, request.getfixturevalue("spark") if engine == "spark" else None)


@given("trades are copied and counted")
def trades_are_copied(copying: CopyingFlow) -> None:
    assert copying.count("trades-copies") == 0


@when("these trades arrive")
def trades_arrive(copying: CopyingFlow, datatable: Table) -> None:
    records = [SinkRecord("trades", row["key"].encode(), row["trade"].encode(), at) for at, row in enumerate(rows(datatable))]
    copying.sink.write("test", 0, 0, records)


@when("the flow runs")
def flow_runs(copying: CopyingFlow) -> None:
    copying.runner.run_available_now()


@when("all dead letters are redriven")
def all_are_redriven(copying: CopyingFlow) -> None:
    copying.redrive(copying.dead_letters())


@when(parsers.parse("the dead letter of {key} is redriven"))
def one_is_redriven(copying: CopyingFlow, key: str) -> None:
    copying.redrive(letter for letter in copying.dead_letters() if letter.record.key == key.encode())


@then(
    parsers.re(r"(?P<now>\d+) records? (is|are) redriven and (?P<before>\d+) (was|were) redriven before"),
    converters={"now": int, "before": int},
)
def redriven_now_and_before(copying: CopyingFlow, now: int, before: int) -> None:
    assert (copying.redriven[Outcome.WRITTEN], copying.redriven[Outcome.ALREADY_REDRIVEN]) == (now, before)
    assert copying.redriven.total() == now + before


@then(parsers.parse("{number:d} trades are copied"))
def copies(copying: CopyingFlow, number: int) -> None:
    assert copying.count("trades-copies") == number


@then(parsers.parse("the topic of the trades contains {number:d} records"))
def topic_contains(copying: CopyingFlow, number: int) -> None:
    assert copying.count("trades") == number


@then(parsers.parse("there are {number:d} dead letters"))
def number_of_dead_letters(copying: CopyingFlow, number: int) -> None:
    assert len(copying.dead_letters()) == number


@then("these trades are dead letters")
def trades_are_dead_letters(copying: CopyingFlow, datatable: Table) -> None:
    found = {(letter.record.key or b"").decode(): letter for letter in copying.dead_letters()}
    assert found.keys() == {row["key"] for row in rows(datatable)}
    for row in rows(datatable):
        letter = found[row["key"]]
        assert letter.record.value == row["trade"].encode()
        assert row["reason"] in letter.reason.message
