"""What users do on a site: clicks, with who clicked and what was searched for around that time."""

from collections.abc import Mapping
from typing import Any, TypeAlias

from eddyline.domain.value import value

Profile: TypeAlias = Mapping[str, Any]
"""What is known about a user, as it was sent; read are `userName`, `zipcode` and `interests`."""


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
    """A click with all that is known around it; texts that are not known are empty, interests that are not known None."""

    user_id: str | None
    user_name: str
    zipcode: str
    interests: Any
    search_term: str
    page: str | None

    @staticmethod
    def of_click(user_id: str | None, click: Click, profile: Profile | None) -> "Activity":
        """The activity that a click alone shows; the user is the one it was sent under, whatever the click itself says."""
        known = profile if profile is not None else {}
        return Activity(user_id, _text(known, "userName"), _text(known, "zipcode"), known.get("interests"), "", click.page)

    def with_search(self, search: Search | None) -> "Activity":
        """The same activity with what was searched for; without a search, or one without terms, nothing was."""
        terms = search.search_terms if search is not None else None
        return Activity(self.user_id, self.user_name, self.zipcode, self.interests, terms or "", self.page)


def _text(profile: Profile, field: str) -> str:
    known = profile.get(field)
    return "" if known is None else str(known)
