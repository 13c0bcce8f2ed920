"""A user's activity: a click, with the profile of the user and a search at about the same time."""

from collections.abc import Mapping
from typing import Any, TypeAlias

from eddyline.domain.value import value

Profile: TypeAlias = Mapping[str, Any]
"""A user's profile as its sender wrote it, with `userName`, `zipcode` and `interests`."""


@value
class Click:
    """A user opened a page."""

    user_id: str | None = None
    page: str | None = None


@value
class Search:
    """A user searched."""

    search_terms: str | None = None


@value
class Activity:
    """A click with its context. A name, zip code or search term that is not known is empty; unknown interests are None."""

    user_id: str | None
    user_name: str
    zipcode: str
    interests: Any
    search_term: str
    page: str | None

    @staticmethod
    def of_click(user_id: str | None, click: Click, profile: Profile | None) -> "Activity":
        """Return the activity of a click before any search is known.

        Args:
            user_id: The key of the click's record; it is the user, whatever the click itself says.
            click: The click.
            profile: The user's profile, None if there is none.
        """
        known = profile if profile is not None else {}
        return Activity(user_id, _text(known, "userName"), _text(known, "zipcode"), known.get("interests"), "", click.page)

    def with_search(self, search: Search | None) -> "Activity":
        """Return the activity with the terms of a search; they are empty without a search or its terms."""
        terms = search.search_terms if search is not None else None
        return Activity(self.user_id, self.user_name, self.zipcode, self.interests, terms or "", self.page)


def _text(profile: Profile, field: str) -> str:
    known = profile.get(field)
    return "" if known is None else str(known)
