"""Dead letters, as an operator handles them."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from pytest_bdd import given, parsers, scenarios, then, when

from eddyline.adapters.container import Container
from eddyline.adapters.memory.clock import MemoryClock
from eddyline.adapters.settings import Settings
from eddyline.application.operations.dead_letter_log import DeadLetter, DeadLetterLog
from eddyline.application.operations.redrive import Outcome, Redriver
from eddyline.application.ports.event_sink import SinkRecord
from tests.adapters.poison import copied_and_counted, everything, runner
from tests.features.running import Table, rows

scenarios("dead_letters")


class Desk:
    """Trades on files, the flow that reads them, and its dead letters."""

    def __init__(self, folder: Path, spark: Any) -> None:
        settings = Settings.load({"data.dir": str(folder), "emit": "every-update", "num.partitions": 2, "trigger.interval.ms": 0})
        self.container = Container(settings=settings)
        self.redriven = Counter[Outcome]()
        self.container.sink().create_topic("trades", 2)
        self.runner = runner(self.container, copied_and_counted("trades"), "app", folder / "checkpoint", spark)

    def arrives(self, records: Iterable[SinkRecord]) -> None:
        self.container.sink().write("test", 0, 0, list(records))

    def letters(self) -> list[DeadLetter]:
        return list(DeadLetterLog(self.container.log(), "app"))

    def redrives(self, letters: Iterable[DeadLetter]) -> None:
        redriver = Redriver(self.container.log(), self.container.sink(), MemoryClock(), "app")
        self.redriven = Counter(step.outcome for step in redriver.redrive(letters))

    def held(self, topic: str) -> int:
        return len(everything(self.container.log(), topic)) if topic in self.container.log().topics() else 0


@pytest.fixture
def desk(engine: str, tmp_path: Path, request: pytest.FixtureRequest) -> Desk:
    return Desk(tmp_path, request.getfixturevalue("spark") if engine == "spark" else None)


@given("trades are copied and counted")
def copied(desk: Desk) -> None:
    assert desk.held("trades-copies") == 0


@when("these trades come in")
def trades(desk: Desk, datatable: Table) -> None:
    desk.arrives(
        SinkRecord("trades", row["key"].encode(), row["trade"].encode(), number) for number, row in enumerate(rows(datatable))
    )


@when("the flow runs")
def runs(desk: Desk) -> None:
    desk.runner.run_available_now()


@when("all letters are redriven")
def all_redriven(desk: Desk) -> None:
    desk.redrives(desk.letters())


@when(parsers.parse("the letter of {key} is redriven"))
def one_redriven(desk: Desk, key: str) -> None:
    desk.redrives(letter for letter in desk.letters() if letter.record.key == key.encode())


@then(
    parsers.re(r"(?P<written>\d+) (is|are) written and (?P<already>\d+) are in already"),
    converters={"written": int, "already": int},
)
def written(desk: Desk, written: int, already: int) -> None:
    assert (desk.redriven[Outcome.WRITTEN], desk.redriven[Outcome.ALREADY_REDRIVEN]) == (written, already)
    assert desk.redriven.total() == written + already


@then(parsers.parse("{number:d} trades are copied"))
def trades_copied(desk: Desk, number: int) -> None:
    assert desk.held("trades-copies") == number


@then(parsers.parse("the topic of trades holds {number:d} records"))
def trades_held(desk: Desk, number: int) -> None:
    assert desk.held("trades") == number


@then(parsers.parse("there are {number:d} dead letters"))
def letters_held(desk: Desk, number: int) -> None:
    assert len(desk.letters()) == number


@then("these are dead letters")
def letters(desk: Desk, datatable: Table) -> None:
    found = {(letter.record.key or b"").decode(): letter for letter in desk.letters()}
    assert found.keys() == {row["key"] for row in rows(datatable)}
    for row in rows(datatable):
        letter = found[row["key"]]
        assert letter.record.value == row["trade"].encode()
        assert row["reason"] in letter.reason.message
