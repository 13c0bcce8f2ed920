from hypothesis import given
from hypothesis import strategies as st

from eddyline.domain.security import BrowserActions, CaptchaRequest, CaptchaRequestInWindow, TimeSpan


def test_a_browser_is_suspect_from_the_threshold_on() -> None:
    assert [count for count in range(8) if BrowserActions(count).are_suspect(5)] == [5, 6, 7]


@given(st.integers(0, 100), st.integers(0, 100))
def test_a_solved_captcha_ends_suspicion_and_its_loss_brings_it_back(count: int, threshold: int) -> None:
    solved = BrowserActions(count).joined({"ok": True})
    assert not solved.are_suspect(threshold)
    assert solved.joined(None) == BrowserActions(count)
    assert solved.joined(None).are_suspect(threshold) == (count >= threshold)


def test_a_solved_captcha_without_any_field_is_a_solved_one() -> None:
    assert BrowserActions(5).joined({}).solved


def test_a_request_tells_the_count() -> None:
    assert BrowserActions(6).request() == CaptchaRequest(ask_captcha=True, count=6)


def test_a_request_about_a_span_of_time_tells_the_span() -> None:
    span = TimeSpan(8000, 13000)
    joined = BrowserActions(3, window=span).joined(None)
    assert joined.request() == CaptchaRequestInWindow(ask_captcha=True, count=3, window=span)
