"""Reports as their senders wrote them, and those that were set aside, as tables of business words."""

import json
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from pydantic.alias_generators import to_camel

from tests.features.tables import Table


class Kind(NamedTuple):
    """A kind of reports: their topic, the column that has the keys, and the fields of columns with other names than theirs."""

    topic: str
    key: str
    fields: Mapping[str, str] = {}

    def report(self, columns: list[str], cells: list[str]) -> tuple[str, bytes]:
        """Return the key and the value of a report with the cells that are not empty."""
        row = {self.field(column): _content(cell) for column, cell in zip(columns, cells, strict=True) if cell}
        return cells[columns.index(self.key)], json.dumps(row).encode()

    def field(self, column: str) -> str:
        """Return the field that a column shows."""
        return self.fields.get(column, to_camel(column.replace(" ", "_")))

    def cells(self, columns: list[str], letter: Mapping[str, str]) -> list[str]:
        """Return the cells of a report that was set aside."""
        found = {**json.loads(letter["value"]), "reason": letter["reason"]}
        return [_cell(found.get(self.field(column))) for column in columns]


KINDS: Final = {
    "trades": Kind("trades", "ticker"),
    "prices": Kind("prices", "instrument"),
    "daily prices": Kind("daily-prices", "share"),
    "bookings": Kind("bookings", "guest"),
    "changes": Kind("booking-changes", "guest"),
    "notifications": Kind("notifications", "user"),
    "readings": Kind("sensor-readings", "machine"),
    "connections": Kind("connections", "host"),
    "views": Kind("page-views", "visitor"),
    "clicks": Kind("clicks", "user"),
    "items": Kind("items", "store", {"store": "storeName"}),
    "purchases": Kind("purchases", "number"),
    "transactions": Kind("shoe-transactions", "store", {"price in cents": "priceCents"}),
    "orders": Kind("orders", "number"),
    "card payments": Kind("payments", "card"),
    "sales": Kind("sales", "person"),
    "loads": Kind("service-loads", "host"),
    "captcha answers": Kind("captchas-solved", "browser"),
    "log events": Kind("logs", "host"),
    "customer changes": Kind("customer-changes", "customer"),
}


def set_aside(kind: Kind, letters: list[dict[str, str]], columns: list[str]) -> Table:
    """Return the reports of a kind that were set aside."""
    return [columns, *(kind.cells(columns, letter) for letter in letters if letter["topic"] == kind.topic)]


def _content(cell: str) -> Any:
    try:
        return json.loads(cell)
    except ValueError:
        return cell


def _cell(content: Any) -> str:
    if content is None:
        return ""
    return content if isinstance(content, str) and content.strip() else json.dumps(content)
