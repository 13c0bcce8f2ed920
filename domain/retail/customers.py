"""Customers as their database has them, kept up by its change events, and purchases that are told with them."""

from dataclasses import replace

from eddyline.domain.value import value


@value
class Customer:
    """A row of the table of customers."""

    id: str
    name: str
    email: str | None = None
    city: str | None = None


@value
class ChangeSource:
    """Where in the database's log a change stands: `lsn` rises from change to change."""

    lsn: int


@value
class CustomerChange:
    """A change of one row, as Debezium tells it.

    `op` is c for a created row, u for an updated, d for a deleted one, r for one that was there when reading began. `before`
    and `after` are the row on either side of the change, `ts_ms` the time at which it was read, in ms since the epoch.
    """

    op: str
    source: ChangeSource
    before: Customer | None = None
    after: Customer | None = None
    ts_ms: int = 0

    def fault(self, key: str | None) -> str | None:
        """Why it cannot be made to the row `key`, None when it can."""
        if key is None:
            return "it names no row"
        if self.op not in _OPERATIONS:
            return f"operation '{self.op}' is unknown; there are: {', '.join(_OPERATIONS)}"
        if self.op == "d":
            return None if self.after is None else "a deleted row has nothing after"
        if self.after is None:
            return "the row after the change is missing"
        return None if self.after.id == key else f"the row after the change is '{self.after.id}', not '{key}'"


_OPERATIONS = ("c", "u", "d", "r")


@value
class RejectedChange:
    """A change that was not made, and why."""

    reason: str
    change: CustomerChange


@value
class CustomerRow:
    """A row as it stands: the customer, None for a deleted one, and how far in the database's log it is known."""

    customer: Customer | None = None
    lsn: int = -1

    def apply(self, change: CustomerChange) -> "CustomerRow":
        """The row after a change without fault; one from before what is known, which came late or again, changes nothing."""
        if change.source.lsn < self.lsn:
            return self
        return replace(self, customer=change.after, lsn=change.source.lsn)


@value
class Purchase:
    """A customer, by id, bought something."""

    customer: str
    item: str
    amount: float


@value
class CustomerPurchase:
    """A purchase with what is known of the customer: None for one who is not, or no longer, in the table."""

    customer: str
    name: str | None
    city: str | None
    item: str
    amount: float

    @staticmethod
    def of(purchase: Purchase, row: CustomerRow | None) -> "CustomerPurchase":
        """The purchase with the customer's row."""
        known = row.customer if row is not None else None
        return CustomerPurchase(
            purchase.customer, known.name if known else None, known.city if known else None, purchase.item, purchase.amount
        )
