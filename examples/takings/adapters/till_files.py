"""Reads the CSV files that tills export: `python -m adapters.till_files payments.csv data` writes them to the topic payments."""

import csv
import json
import sys
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path

from domain.takings import Payment

TOPIC = "payments"


def payments_in(lines: Iterable[str]) -> Iterator[tuple[str, Payment, int]]:
    """Yield the till, the payment and its time in ms since the epoch.

    Columns are `till`, `shop`, `amount` in euros, and `paid_at` in ISO 8601 with a UTC offset.
    """
    for row in csv.DictReader(lines):
        timestamp = int(datetime.fromisoformat(row["paid_at"]).timestamp() * 1000)
        yield row["till"], Payment(row["shop"], float(row["amount"])), timestamp


def write_topic(payments: Iterable[tuple[str, Payment, int]], data_dir: Path) -> int:
    """Append the payments to the topic's first partition file, as Eddyline's file log reads it; return their number."""
    folder = data_dir / "topics" / TOPIC
    folder.mkdir(parents=True, exist_ok=True)
    lines = [
        json.dumps({"key": till, "value": {"shop": payment.shop, "amount": payment.amount}, "timestamp": timestamp})
        for till, payment, timestamp in payments
    ]
    with (folder / "partition-0.jsonl").open("a", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)
    return len(lines)


if __name__ == "__main__":
    with Path(sys.argv[1]).open(encoding="utf-8") as export:
        written = write_topic(payments_in(export), Path(sys.argv[2]))
    print(f"{written} payments written to topic '{TOPIC}'")
