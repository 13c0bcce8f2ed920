"""A sale, and when it is large."""

from eddyline.domain.value import above_zero, not_empty, value


@value
class Sale:
    """A customer buys for an amount of money; the sale has a name of its own, by which it is known if it is reported again."""

    sale: str
    customer: str
    amount: float

    def __post_init__(self) -> None:
        not_empty(sale=self.sale, customer=self.customer)
        above_zero(amount=self.amount)

    def is_over(self, limit: float) -> bool:
        """Decide whether the sale is of more than an amount."""
        return self.amount > limit


@value
class SalesPerson:
    """Who sells, and the address of their mail."""

    name: str
    mail: str

    def __post_init__(self) -> None:
        not_empty(name=self.name)
        mail: object = self.mail
        if not isinstance(mail, str) or not all(mail.partition("@")):
            raise ValueError(f"mail is {mail!r}; it must be an address such as ann@example.org")


@value
class LargeSale:
    """A large sale, with the person who made it; name and mail are None for one who is not known."""

    sale: str
    customer: str
    amount: float
    sold_by: str
    name: str | None = None
    mail: str | None = None

    @classmethod
    def of(cls, sold_by: str, sale: Sale, person: SalesPerson | None) -> "LargeSale":
        """Return a sale with the person who made it, if this person is known."""
        return cls(
            sale.sale, sale.customer, sale.amount, sold_by, *((None, None) if person is None else (person.name, person.mail))
        )
