"""The flow large-sales: sales over an amount, with the person who made them."""

from eddyline import FlowSettingError, TopologyBuilder
from eddyline.domain.sales import LargeSale, Sale, SalesPerson
from eddyline.domain.value import above_zero


def large_sales(builder: TopologyBuilder, *, limit: float = 10_000.0) -> None:
    """Report each sale over an amount, with the person who made it.

    Input: `sales` and `sales-people`, keyed by sales person; the latter is a table. Output: `large-sales`, keyed by sales person,
    each sale over `limit` with the name and the mail that the person has at that time, if they are known.
    """
    try:
        above_zero(limit=limit)
    except ValueError as error:
        msg = f"invalid setting of flow 'large-sales': {error}"
        raise FlowSettingError(msg) from None
    people = builder.table("sales-people", key=str, value=SalesPerson, store="sales-people")
    (
        builder.stream("sales", key=str, value=Sale)
        .filter(_is_sale, drop_reason="null-value")
        .filter(_has_sales_person, drop_reason="null-key")
        .filter(lambda _sold_by, sale: sale.is_over(limit), name="over-the-limit")
        .left_join(people, LargeSale.of, value=LargeSale, with_key=True, name="with-sales-person")
        .to("large-sales")
    )


def _is_sale(_sold_by: str | None, sale: Sale | None) -> bool:
    return sale is not None


def _has_sales_person(sold_by: str | None, _sale: Sale) -> bool:
    return sold_by is not None
