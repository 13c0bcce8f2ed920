from collections.abc import Callable

import pytest

from eddyline.domain.clickstream import Activity, Click, Profile, Search

PROFILE = Profile("Anna", "94302", ("Ski",))


def test_an_activity_has_the_profile_of_the_user_and_the_terms_of_the_search() -> None:
    activity = Activity.of_click("2", Click("2", "jacket.html"), PROFILE).with_search(Search("light jacket"))
    assert activity == Activity("2", "Anna", "94302", ("Ski",), "light jacket", "jacket.html")


def test_the_user_is_the_key_of_the_click() -> None:
    assert Activity.of_click("2", Click("other", "p"), None).user_id == "2"


@pytest.mark.parametrize("profile", [None, Profile()])
def test_an_unknown_user_has_an_empty_name_and_zip_code_and_no_interests(profile: Profile | None) -> None:
    assert Activity.of_click("9", Click("9", "p"), profile) == Activity("9", "", "", None, "", "p")


def test_the_search_term_is_empty_without_a_search() -> None:
    assert Activity.of_click("9", Click("9", "p"), None).with_search(None) == Activity("9", "", "", None, "", "p")


def test_an_activity_has_a_hash() -> None:
    assert len({Activity.of_click("2", Click("2", "p"), PROFILE), Activity.of_click("2", Click("2", "p"), PROFILE)}) == 1


@pytest.mark.parametrize(
    ("create", "reason"),
    [
        (lambda: Click("", "p"), "user_id is ''; it must be a text that is not empty"),
        (lambda: Click("9", " "), "page is ' '; it must be a text that is not empty"),
        (lambda: Search(""), "search_terms is ''; it must be a text that is not empty"),
    ],
)
def test_what_cannot_be_true_cannot_be_created(create: Callable[[], object], reason: str) -> None:
    with pytest.raises(ValueError, match=f"^{reason}$"):
        create()


def test_a_name_that_is_known_is_not_empty() -> None:
    with pytest.raises(ValueError, match="user_name is ''; it must be a text that is not empty"):
        Profile("")
