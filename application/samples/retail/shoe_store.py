"""The flow shoe-store: the stock, the money and the number of transactions of shoe stores, with returns."""

from eddyline import TopologyBuilder
from eddyline.domain.retail import RefusedReturn, ShoeStore, ShoeStoreReport, ShoeTransaction


def shoe_store(builder: TopologyBuilder) -> None:
    """Maintain the stock, the money and the number of transactions of each shoe store from its shipments, sales and returns.

    Input: `shoe-transactions`, keyed by store. Output: `shoe-stores`, the state of the store after each transaction, and
    `refused-returns`, each return of more pairs than were sold, which changes nothing.
    """
    stores = (
        builder.stream("shoe-transactions", key=str, value=ShoeTransaction)
        .filter(_is_transaction, drop_reason="null-value")
        .group_by_key()
        .aggregate(ShoeStore, ShoeStore.after, store="shoe-stores-store", caching=False)
        .to_stream()
    )
    after = stores.split(name="transactions").branch(_is_refused, name="refused").default_branch(name="done")
    after["done"].map_values(_report, with_key=True).to("shoe-stores")
    after["refused"].map_values(_refusal, with_key=True).to("refused-returns")


def _is_transaction(_store: str, transaction: ShoeTransaction | None) -> bool:
    return transaction is not None


def _is_refused(_store: str, after: ShoeStore) -> bool:
    return after.refused is not None


def _report(store: str, after: ShoeStore) -> ShoeStoreReport:
    return after.report(store)


def _refusal(store: str, after: ShoeStore) -> RefusedReturn | None:
    return after.refusal(store)
