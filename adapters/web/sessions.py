"""Sessions of browsers: a browser that has logged in with a form sends a cookie instead of credentials."""

import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from hashlib import sha256

from eddyline.adapters.web.roles import Role

LIFETIME_S = 12 * 3_600
_MAX_SESSIONS = 1_000


class Sessions:
    """The sessions of one server, in memory: a restart ends them all, and so does their age.

    Args:
        clock: A monotonic clock in seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._sessions: OrderedDict[bytes, tuple[Role, float]] = OrderedDict()

    def begin(self, role: Role) -> str:
        """Return the secret of a new session; the oldest session ends when there are too many."""
        secret = secrets.token_urlsafe(32)
        self._sessions[_digest(secret)] = role, self._clock() + LIFETIME_S
        if len(self._sessions) > _MAX_SESSIONS:
            self._sessions.popitem(last=False)
        return secret

    def role(self, secret: str) -> Role | None:
        """Return the role of the session with a secret, None if there is none or it has ended."""
        found = self._sessions.get(_digest(secret))
        return found[0] if found is not None and found[1] > self._clock() else None

    def end(self, secret: str) -> None:
        """End a session."""
        self._sessions.pop(_digest(secret), None)


def _digest(secret: str) -> bytes:
    return sha256(secret.encode("utf-8", "surrogatepass")).digest()
