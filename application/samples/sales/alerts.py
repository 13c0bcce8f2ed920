"""The messages about large sales, each to the person who made the sale."""

from eddyline import Alert
from eddyline.domain.sales import LargeSale

_HEAD_OF_SALES = "head-of-sales@example.org"


def _recipient(found: LargeSale) -> str:
    return found.mail or _HEAD_OF_SALES


def _sale(found: LargeSale) -> str:
    return found.sale


def _subject(found: LargeSale) -> str:
    return f"A sale of {found.amount:,.2f}"


def _body(found: LargeSale) -> str:
    return f"{found.name or found.sold_by} has sold for {found.amount:,.2f} to {found.customer} (sale {found.sale})."


LARGE_SALES = Alert("large-sales", to=_recipient, subject=_subject, body=_body, identity=_sale)
"""One message for each sale, to the sales person, or to the head of sales if the mail of this person is not known."""
