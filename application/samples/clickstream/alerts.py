"""The messages about pages that became popular."""

from eddyline import Alert
from eddyline.domain.clickstream import PopularPage


def _page(popular: PopularPage) -> str:
    return popular.page


def _subject(popular: PopularPage) -> str:
    return f"{popular.page} is popular"


def _body(popular: PopularPage) -> str:
    return f"The page {popular.page} has been seen {popular.views} times."


POPULAR_ALERTS = Alert("popular-alerts", to="shop@example.org", subject=_subject, body=_body, identity=_page)
"""One message for each page, whatever its number of views."""
