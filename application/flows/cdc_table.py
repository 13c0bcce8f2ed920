"""Keeps a table of a database up by its change events, and tells purchases with it."""

from eddyline.application.topology import TopologyBuilder
from eddyline.domain.customers import CustomerChange, CustomerPurchase, CustomerRow, Purchase, RejectedChange


def cdc_table(builder: TopologyBuilder) -> None:
    """Changes of customers in, by id, and purchases; out, each purchase with the customer as the database has it at that moment.

    Changes that come again or late change nothing. Those that cannot be made come out with the reason.
    """
    changes = (
        builder.stream("customer-changes", key=str, value=CustomerChange)
        .filter(_is_change)
        .split(name="changes")
        .branch(_can_be_made, name="made")
        .default_branch(name="rejected")
    )
    changes["rejected"].map_values(_rejected, with_key=True).to("rejected-changes")
    customers = changes["made"].group_by_key().aggregate(CustomerRow, CustomerRow.apply, store="customers")
    (
        builder.stream("purchases", key=str, value=Purchase)
        .select_key(_customer)
        .left_join(customers, CustomerPurchase.of, name="by-customer")
        .to("customer-purchases")
    )


def _is_change(_id: str, change: CustomerChange | None) -> bool:
    """Whether it is one: a deletion is followed by a record without a value, for logs that keep the last of each key."""
    return change is not None


def _can_be_made(customer: str | None, change: CustomerChange) -> bool:
    return change.fault(customer) is None


def _rejected(customer: str | None, change: CustomerChange) -> RejectedChange:
    return RejectedChange(change.fault(customer) or "", change)


def _customer(_number: str, purchase: Purchase) -> str:
    return purchase.customer
