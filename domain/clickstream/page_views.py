"""Views of pages, and the alert for a page that became popular."""

from typing import Any

from eddyline.domain.value import value


@value
class PageView:
    """Someone saw a page. Senders are not to be trusted: `page` may be anything, and only text names a page."""

    page: Any = None

    @property
    def named_page(self) -> str | None:
        """The page that was seen, None when the view does not name one."""
        return self.page if isinstance(self.page, str) else None


@value
class PopularPage:
    """The alert: a page reached so many views."""

    page: str
    views: int


def becomes_popular(views: int, threshold: int) -> bool:
    """Whether this view is the one that makes a page popular: the one that reaches the threshold, no later one."""
    return views == threshold
