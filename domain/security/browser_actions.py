"""The actions of a browser, which has to solve a captcha when it acts often and has not solved one."""

from eddyline.domain.value import value


@value
class SolvedCaptcha:
    """A browser solved a captcha; a wrong answer, which is not `ok`, solves none."""

    ok: bool

    def __post_init__(self) -> None:
        if self.ok is not True:
            raise ValueError(f"ok is {self.ok}; it must be True: a wrong answer solves no captcha")


@value
class TimeSpan:
    """The time from `start`, inclusive, to `end`, exclusive, in ms since the epoch."""

    start: int
    end: int


@value
class CaptchaRequest:
    """The request to solve a captcha after a number of actions."""

    ask_captcha: bool
    count: int


@value
class CaptchaRequestInWindow:
    """The request to solve a captcha after a number of actions in a window."""

    ask_captcha: bool
    count: int
    window: TimeSpan


@value
class BrowserActions:
    """The number of a browser's actions, in a window or in total, and whether the browser solved a captcha."""

    count: int
    solved: bool = False
    window: TimeSpan | None = None

    def with_captcha(self, solved: SolvedCaptcha | None) -> "BrowserActions":
        """Return the actions with the captcha that the browser solved, None if it solved none."""
        return BrowserActions(self.count, solved is not None, self.window)

    def challenge(self, threshold: int) -> CaptchaRequest | CaptchaRequestInWindow | None:
        """Return the request to solve a captcha if there are at least `threshold` actions and no captcha was solved."""
        return self.request() if self.count >= threshold and not self.solved else None

    def request(self) -> CaptchaRequest | CaptchaRequestInWindow:
        """Return the request to solve a captcha after these actions."""
        if self.window is None:
            return CaptchaRequest(ask_captcha=True, count=self.count)
        return CaptchaRequestInWindow(ask_captcha=True, count=self.count, window=self.window)
