"""The view of a user from all sides: who it is, and what it did in a minute."""

from dataclasses import replace

from eddyline.domain.clickstream.activity import Click, Profile, Search
from eddyline.domain.value import value


@value
class UserMinute:
    """What a user did in a minute: the number of clicks, the pages and the searches, each once and in order of arrival."""

    clicks: int = 0
    pages: tuple[str, ...] = ()
    searches: tuple[str, ...] = ()

    def clicked(self, click: Click) -> "UserMinute":
        """Return the minute with one more click."""
        return UserMinute(self.clicks + 1, _with(self.pages, click.page), self.searches)

    def searched(self, search: Search) -> "UserMinute":
        """Return the minute with one more search."""
        return UserMinute(self.clicks, self.pages, _with(self.searches, search.search_terms))

    def of_user(self, user: str, minute: int) -> "UserView":
        """Return the view of a user, before its profile is known; `minute` is the start in ms since the epoch."""
        return UserView(user, minute, None, None, None, self.clicks, self.pages, self.searches)


@value
class UserView:
    """A user in a minute, which starts at `minute` in ms since the epoch; what no profile says is None."""

    user: str
    minute: int
    user_name: str | None
    zipcode: str | None
    interests: tuple[str, ...] | None
    clicks: int
    pages: tuple[str, ...]
    searches: tuple[str, ...]

    def with_profile(self, profile: Profile | None) -> "UserView":
        """Return the view with what the user's profile says."""
        if profile is None:
            return self
        return replace(self, user_name=profile.user_name, zipcode=profile.zipcode, interests=profile.interests)


def _with(texts: tuple[str, ...], text: str) -> tuple[str, ...]:
    return texts if text in texts else (*texts, text)
