"""A shoe store: its stock, its money and the number of its transactions, from shipments, sales and returns."""

from dataclasses import field

from eddyline.domain.value import at_least, not_empty, one_of, value


@value
class ShoeTransaction:
    """A shipment to a store, a sale or a return, as `type` says, of pairs of a shoe at a price for each pair, in cents."""

    type: str
    shoe: str
    pairs: int
    price_cents: int

    def __post_init__(self) -> None:
        one_of(("SHIPMENT", "SALE", "RETURN"), type=self.type)
        not_empty(shoe=self.shoe)
        at_least(1, pairs=self.pairs)
        at_least(0, price_cents=self.price_cents)


@value
class RefusedReturn:
    """A store did not take pairs of a shoe back, for a reason; its stock and its money stayed as they were."""

    store: str
    shoe: str
    pairs: int
    reason: str


@value
class ShoeStore:
    """The state of a store after its transactions. `ShoeStore()` is that of a new one.

    `stock` is the number of pairs per shoe, which is below 0 while more pairs were sold than had arrived; `sold` is the number of
    pairs that were sold and not returned. `refused` is the last transaction if it was a return that was refused.
    """

    stock: dict[str, int] = field(default_factory=dict)
    sold: dict[str, int] = field(default_factory=dict)
    money_cents: int = 0
    transactions: int = 0
    refused: ShoeTransaction | None = None

    def after(self, transaction: ShoeTransaction) -> "ShoeStore":
        """Return the store after a transaction; a return of more pairs than were sold changes nothing but `refused`."""
        shoe, pairs = transaction.shoe, transaction.pairs
        amount = pairs * transaction.price_cents
        stock, sold = self.stock.get(shoe, 0), self.sold.get(shoe, 0)
        match transaction.type:
            case "SHIPMENT":
                stock, money = stock + pairs, self.money_cents - amount
            case "SALE":
                stock, sold, money = stock - pairs, sold + pairs, self.money_cents + amount
            case _ if pairs > sold:
                return ShoeStore(self.stock, self.sold, self.money_cents, self.transactions, transaction)
            case _:
                stock, sold, money = stock + pairs, sold - pairs, self.money_cents - amount
        return ShoeStore({**self.stock, shoe: stock}, {**self.sold, shoe: sold}, money, self.transactions + 1)

    def refusal(self, store: str) -> RefusedReturn | None:
        """Return why the last transaction was refused, None if it was not."""
        refused = self.refused
        if refused is None:
            return None
        sold = self.sold.get(refused.shoe, 0)
        reason = f"{refused.pairs} are more than the {sold} that were sold and not returned"
        return RefusedReturn(store, refused.shoe, refused.pairs, reason)

    def report(self, store: str) -> "ShoeStoreReport":
        """Return the report to publish for the store of this name."""
        return ShoeStoreReport(store, self.stock, self.money_cents, self.transactions)


@value
class ShoeStoreReport:
    """The stock of a store in pairs per shoe, its money in cents, which is below 0 if it owes some, and its transactions."""

    store: str
    stock: dict[str, int]
    money_cents: int
    transactions: int
