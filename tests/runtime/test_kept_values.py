"""Classes and keys come back after a restart and across repartitions, on the local engine and as Spark's state and frames."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from eddyline import Topology, TopologyBuilder
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.application.ports.event_log import LogRecord
from tests.adapters.local.running import engine_of
from tests.adapters.spark.in_process import InProcessRun
from tests.runtime.plans import all_records


@dataclass(frozen=True)
class Deposit:
    account: str
    amount: int


@dataclass(frozen=True)
class Withdrawal:
    account: str
    amount: int


@dataclass(frozen=True)
class Balance:
    """What an account has, its last booking, and its bookings by amount."""

    total: int = 0
    last: Deposit | Withdrawal | None = None
    counts: dict[int, int] | None = None

    def book(self, booking: Deposit | Withdrawal) -> "Balance":
        amount = booking.amount if isinstance(booking, Deposit) else -booking.amount
        counts = self.counts or {}
        return Balance(self.total + amount, booking, {**counts, amount: counts.get(amount, 0) + 1})

    def shown(self) -> str:
        return f"{self.total} {type(self.last).__name__} {self.counts}"


def parsed(text: str) -> Deposit | Withdrawal:
    sign, account, amount = text.split()
    return (Deposit if sign == "+" else Withdrawal)(account, int(amount))


def labels(_key: str, booking: Deposit | Withdrawal) -> frozenset[str]:
    return frozenset(booking.account)


def bookings() -> Topology:
    builder = TopologyBuilder()
    (
        builder.stream("bookings", key=str, value=str)
        .map_values(parsed)
        .group_by(labels, name="by-labels")
        .aggregate(Balance, Balance.book, store="balances")
        .to_stream(lambda key, _balance: "".join(sorted(key)))
        .map_values(Balance.shown)
        .to("shown")
    )
    return builder.build()


TEXTS = ("+ abc 100", "- bca 30", "- cab 30", "+ cba 5")
EXPECTED = [
    "100 Deposit {100: 1}",
    "70 Withdrawal {100: 1, -30: 1}",
    "40 Withdrawal {100: 1, -30: 2}",
    "45 Deposit {100: 1, -30: 2, 5: 1}",
]


def _append(log: MemoryEventLog, number: int) -> None:
    log.append("bookings", b"k%d" % number, TEXTS[number].encode(), number, partition=number % 3)


def _shown(log: MemoryEventLog) -> list[str]:
    records: list[LogRecord] = sorted(all_records(log, "shown"), key=lambda record: record.timestamp)
    return [(record.value or b"").decode() for record in records]


@pytest.mark.parametrize("restarts", [False, True])
def test_on_the_local_engine(restarts: bool, tmp_path: Path) -> None:
    log = MemoryEventLog()
    log.create_topic("bookings", 3)
    for number in range(len(TEXTS)):
        _append(log, number)
        if restarts or number == len(TEXTS) - 1:
            engine_of(bookings(), log, folder=tmp_path).run_available_now()
    assert _shown(log) == EXPECTED


@pytest.mark.parametrize("cache_loss_rate", [0.0, 1.0])
def test_on_spark(cache_loss_rate: float) -> None:
    log = MemoryEventLog()
    log.create_topic("bookings", 3)
    run = InProcessRun(bookings(), log)
    for number in range(len(TEXTS)):
        _append(log, number)
        run.run(cache_loss_rate=cache_loss_rate)
    assert _shown(log) == EXPECTED
    run.close()
