from eddyline.domain.clickstream import Click, Profile, Search, UserMinute, UserView


def test_clicks_are_counted_and_pages_and_searches_kept_once_in_order_of_arrival() -> None:
    minute = UserMinute()
    for page in ("/b", "/a", "/b"):
        minute = minute.clicked(Click("ann", page))
    for terms in ("hat", "coat", "hat"):
        minute = minute.searched(Search(terms))
    assert minute == UserMinute(3, ("/b", "/a"), ("hat", "coat"))


def test_a_view_has_what_the_profile_says() -> None:
    view = UserMinute(1, ("/a",), ("hat",)).of_user("ann", 60_000)
    assert view == UserView("ann", 60_000, None, None, None, 1, ("/a",), ("hat",))
    assert view.with_profile(None) == view
    known = UserView("ann", 60_000, "Ann", "10115", ("books",), 1, ("/a",), ("hat",))
    assert view.with_profile(Profile("Ann", "10115", ("books",))) == known
