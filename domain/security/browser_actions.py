"""When a browser has to solve a captcha: when it acts often and has solved none."""

from collections.abc import Mapping
from typing import Any, TypeAlias

from eddyline.domain.value import value

SolvedCaptcha: TypeAlias = Mapping[str, Any]
"""What is known about a solved captcha, as it was sent; that there is one is all that counts."""


@value
class TimeSpan:
    """From `start` on and before `end`, in milliseconds since the epoch."""

    start: int
    end: int


@value
class CaptchaRequest:
    """A browser is asked for a captcha, after so many actions."""

    ask_captcha: bool
    count: int


@value
class CaptchaRequestInWindow:
    """A browser is asked for a captcha, after so many actions in a span of time."""

    ask_captcha: bool
    count: int
    window: TimeSpan


@value
class BrowserActions:
    """How often a browser acted, over all or in a span of time, and whether it has solved a captcha."""

    count: int
    solved: bool = False
    window: TimeSpan | None = None

    def joined(self, solved: SolvedCaptcha | None) -> "BrowserActions":
        """The same actions, with what is known about a solved captcha: None when there is none."""
        return BrowserActions(self.count, solved is not None, self.window)

    def are_suspect(self, threshold: int) -> bool:
        """Whether there are `threshold` actions or more, and no captcha was solved."""
        return self.count >= threshold and not self.solved

    def request(self) -> CaptchaRequest | CaptchaRequestInWindow:
        """The request that suspect actions lead to."""
        if self.window is None:
            return CaptchaRequest(ask_captcha=True, count=self.count)
        return CaptchaRequestInWindow(ask_captcha=True, count=self.count, window=self.window)
