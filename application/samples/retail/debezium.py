"""Change events of a database table in the format of Debezium, translated to changes of customers."""

from eddyline.domain.retail import Customer, CustomerUpdate
from eddyline.domain.value import at_least, value

_OPERATIONS = ("c", "u", "d", "r")


@value
class ChangeSource:
    """The position of a change in the database's log: `lsn` (log sequence number) rises from change to change."""

    lsn: int

    def __post_init__(self) -> None:
        at_least(0, lsn=self.lsn)


@value
class CustomerChange:
    """A change of one row.

    `op` is c for a created row, u for an updated one, d for a deleted one and r for one that existed when the snapshot was taken.
    `before` and `after` are the row before and after the change, `ts_ms` is the time at which it was read, in ms since the epoch.
    """

    op: str
    source: ChangeSource
    before: Customer | None = None
    after: Customer | None = None
    ts_ms: int = 0

    def update(self) -> CustomerUpdate:
        """Return what changed in the table of customers; the event is valid."""
        return CustomerUpdate(self.source.lsn, self.after)

    def rejection(self, key: str | None) -> "RejectedChange | None":
        """Return why the event cannot be a change of the row with this key, None if it can."""
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
    """An event that changed nothing, and the reason."""

    reason: str
    change: CustomerChange
