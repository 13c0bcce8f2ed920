import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.domain.security import BrowserActions, CaptchaRequest, CaptchaRequestInWindow, SolvedCaptcha, TimeSpan


def test_a_captcha_is_requested_from_the_threshold_on() -> None:
    assert [count for count in range(8) if BrowserActions(count).challenge(5) is not None] == [5, 6, 7]


@given(st.integers(0, 100), st.integers(0, 100))
def test_no_captcha_is_requested_while_one_is_solved(count: int, threshold: int) -> None:
    solved = BrowserActions(count).with_captcha(SolvedCaptcha(ok=True))
    assert solved.challenge(threshold) is None
    assert solved.with_captcha(None) == BrowserActions(count)
    assert (solved.with_captcha(None).challenge(threshold) is not None) == (count >= threshold)


def test_a_wrong_answer_solves_no_captcha() -> None:
    with pytest.raises(ValueError, match="ok is False; it must be True"):
        SolvedCaptcha(ok=False)


def test_a_request_has_the_number_of_actions() -> None:
    assert BrowserActions(6).challenge(5) == BrowserActions(6).request() == CaptchaRequest(ask_captcha=True, count=6)


def test_a_request_for_the_actions_of_a_window_has_the_window() -> None:
    window = TimeSpan(8000, 13000)
    actions = BrowserActions(3, window=window).with_captcha(None)
    assert actions.request() == CaptchaRequestInWindow(ask_captcha=True, count=3, window=window)
