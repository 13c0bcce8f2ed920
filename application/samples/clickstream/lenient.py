"""What visitors did as senders wrote it, for flows with the setting `lenient`: nothing is checked."""

from collections.abc import Mapping
from typing import Any

from eddyline.domain.clickstream import Activity
from eddyline.domain.value import value


@value
class PageView:
    """A user viewed a page, which only a string names."""

    page: Any = None


@value
class Click:
    """A user opened a page."""

    user_id: str | None = None
    page: str | None = None


@value
class Search:
    """A user searched."""

    search_terms: str | None = None


def activity(user_id: str, click: Click, row: Mapping[str, Any] | None) -> Activity:
    """Return the activity of a click with whatever a profile's row has."""
    known = {} if row is None else row
    interests = known.get("interests")
    kept = tuple(interests) if isinstance(interests, list) else interests
    return Activity(user_id, _text(known.get("userName")), _text(known.get("zipcode")), kept, "", click.page)


def _text(content: object) -> str:
    return "" if content is None else str(content)
