"""Customers, replicated from the changes of their database, and their purchases."""

from eddyline.domain.value import above_zero, at_least, not_empty, value


@value
class Customer:
    """A row of the table of customers."""

    id: str
    name: str
    email: str | None = None
    city: str | None = None

    def __post_init__(self) -> None:
        not_empty(id=self.id, name=self.name)


@value
class CustomerUpdate:
    """A customer was created or updated, or deleted if `customer` is None; `position` rises from change to change."""

    position: int
    customer: Customer | None = None

    def __post_init__(self) -> None:
        at_least(0, position=self.position)


@value
class CustomerRow:
    """The current row of a customer, None if it was deleted, and the position of its latest change."""

    customer: Customer | None = None
    position: int = -1

    def apply(self, change: CustomerUpdate) -> "CustomerRow":
        """Return the row after a change; a change from before the latest one, late or repeated, is ignored."""
        return self if change.position < self.position else CustomerRow(change.customer, change.position)


@value
class Purchase:
    """A customer, given by id, bought something."""

    customer: str
    item: str
    amount: float

    def __post_init__(self) -> None:
        not_empty(customer=self.customer, item=self.item)
        above_zero(amount=self.amount)


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
