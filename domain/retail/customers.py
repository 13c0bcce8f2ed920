"""Customers, replicated from the change events of their database, and their purchases."""

from dataclasses import replace

from eddyline.domain.value import value

_OPERATIONS = ("c", "u", "d", "r")


@value
class Customer:
    """A row of the table of customers."""

    id: str
    name: str
    email: str | None = None
    city: str | None = None


@value
class ChangeSource:
    """The position of a change in the database's log: `lsn` (log sequence number) rises from change to change."""

    lsn: int


@value
class CustomerChange:
    """A change of one row, in the format of Debezium.

    `op` is c for a created row, u for an updated one, d for a deleted one and r for one that existed when the snapshot was taken.
    `before` and `after` are the row before and after the change, `ts_ms` is the time at which it was read, in ms since the epoch.
    """

    op: str
    source: ChangeSource
    before: Customer | None = None
    after: Customer | None = None
    ts_ms: int = 0

    def rejection(self, key: str | None) -> "RejectedChange | None":
        """Return why the change cannot be applied to the row with this key, None if it can."""
        reason = self._fault(key)
        return None if reason is None else RejectedChange(reason, self)

    def _fault(self, key: str | None) -> str | None:
        if key is None:
            return "it names no row"
        if self.op not in _OPERATIONS:
            return f"operation '{self.op}' is unknown; there are: {', '.join(_OPERATIONS)}"
        if self.op == "d":
            return None if self.after is None else "a deleted row has nothing after"
        if self.after is None:
            return "the row after the change is missing"
        return None if self.after.id == key else f"the row after the change is '{self.after.id}', not '{key}'"


@value
class RejectedChange:
    """A change that was not applied, and the reason."""

    reason: str
    change: CustomerChange


@value
class CustomerRow:
    """The current row of a customer, None if it was deleted, and the log position of its latest change."""

    customer: Customer | None = None
    lsn: int = -1

    def apply(self, change: CustomerChange) -> "CustomerRow":
        """Return the row after a valid change; a change from before the latest one, late or repeated, is ignored."""
        if change.source.lsn < self.lsn:
            return self
        return replace(self, customer=change.after, lsn=change.source.lsn)


@value
class Purchase:
    """A customer, given by id, bought something."""

    customer: str
    item: str
    amount: float


@value
class CustomerPurchase:
    """A purchase with the customer's name and city, which are None if the customer is not in the table."""

    customer: str
    name: str | None
    city: str | None
    item: str
    amount: float

    @staticmethod
    def of(purchase: Purchase, row: CustomerRow | None) -> "CustomerPurchase":
        """Return the purchase with the data of the customer's row."""
        known = row.customer if row is not None else None
        return CustomerPurchase(
            purchase.customer, known.name if known else None, known.city if known else None, purchase.item, purchase.amount
        )
