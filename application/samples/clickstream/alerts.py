"""The messages about pages that became popular."""

from eddyline.application.flows.alerts import AlertMessage, AlertTopic
from eddyline.domain.clickstream import PopularPage


def popular_page_message(_page: str | None, popular: PopularPage) -> AlertMessage:
    """Return the message that a page became popular; there is one for each page, whatever its number of views."""
    page = popular.page
    return AlertMessage(page, f"{page} is popular", f"The page {page} has been seen {popular.views} times.")


POPULAR_ALERTS = AlertTopic("popular-alerts", str, PopularPage, popular_page_message)
