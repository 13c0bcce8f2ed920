"""The flow cdc-table: a table replicated by change data capture, and purchases joined with it."""

from eddyline import TopologyBuilder
from eddyline.application.samples.retail.debezium import CustomerChange, RejectedChange
from eddyline.domain.retail import CustomerPurchase, CustomerRow, Purchase


def cdc_table(builder: TopologyBuilder) -> None:
    """Replicate the table of customers from its change events and join purchases with it.

    Input: `customer-changes`, keyed by customer, and `purchases`. Output: `customer-purchases`, each purchase with the customer's
    current row, and `rejected-changes`, each invalid change with the reason. Late and repeated changes are ignored.
    """
    changes = (
        builder.stream("customer-changes", key=str, value=CustomerChange)
        .filter(_is_change)
        .split(name="changes")
        .branch(_is_valid, name="made")
        .default_branch(name="rejected")
    )
    changes["rejected"].map_values(_rejection, with_key=True).to("rejected-changes")
    customers = (
        changes["made"]
        .map_values(CustomerChange.update)
        .group_by_key()
        .aggregate(CustomerRow, CustomerRow.apply, store="customers")
    )
    (
        builder.stream("purchases", key=str, value=Purchase)
        .filter(_is_purchase, drop_reason="null-value")
        .select_key(_customer)
        .left_join(customers, CustomerPurchase.of, name="by-customer")
        .to("customer-purchases")
    )


def _is_change(_customer: str, change: CustomerChange | None) -> bool:
    # A deletion is followed by a tombstone, a record without a value, for topics with log compaction.
    return change is not None


def _is_valid(customer: str | None, change: CustomerChange) -> bool:
    return change.rejection(customer) is None


def _rejection(customer: str | None, change: CustomerChange) -> RejectedChange | None:
    return change.rejection(customer)


def _is_purchase(_number: str, purchase: Purchase | None) -> bool:
    return purchase is not None


def _customer(_number: str, purchase: Purchase) -> str:
    return purchase.customer
