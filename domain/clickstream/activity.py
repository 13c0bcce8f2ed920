"""A user's activity: a click, with the profile of the user and a search at about the same time."""

from eddyline.domain.value import not_empty, value


@value
class Profile:
    """What is known about a user."""

    user_name: str | None = None
    zipcode: str | None = None
    interests: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if self.user_name is not None:
            not_empty(user_name=self.user_name)


@value
class Click:
    """A user opened a page."""

    user_id: str
    page: str

    def __post_init__(self) -> None:
        not_empty(user_id=self.user_id, page=self.page)


@value
class Search:
    """A user searched."""

    search_terms: str

    def __post_init__(self) -> None:
        not_empty(search_terms=self.search_terms)


@value
class Activity:
    """A click with its context. A name, zip code or search term that is not known is empty; unknown interests are None."""

    user_id: str
    user_name: str
    zipcode: str
    interests: tuple[str, ...] | None
    search_term: str
    page: str | None

    @staticmethod
    def of_click(user_id: str, click: Click, profile: Profile | None) -> "Activity":
        """Return the activity of a click before any search is known.

        Args:
            user_id: The key of the click's record; it is the user, whatever the click itself says.
            click: The click.
            profile: The user's profile, None if there is none.
        """
        known = Profile() if profile is None else profile
        return Activity(user_id, known.user_name or "", known.zipcode or "", known.interests, "", click.page)

    def with_search(self, search: Search | None) -> "Activity":
        """Return the activity with the terms of a search; they are empty without a search."""
        terms = search.search_terms if search is not None else None
        return Activity(self.user_id, self.user_name, self.zipcode, self.interests, terms or "", self.page)
