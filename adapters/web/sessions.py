"""Sessions of browsers: a browser that has logged in with a form sends a cookie instead of credentials."""

import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from hashlib import sha256

from eddyline.adapters.web.roles import Role

LIFETIME_S = 12 * 3_600
_MAX_SESSIONS = 1_000


class Sessions:
    """The sessions of one server, in memory: a restart ends them all, except a reload, and so does their age.

    Args:
        clock: A monotonic clock in seconds.
        left: What the sessions of an earlier server of this machine have left.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic, left: Mapping[str, tuple[str, float]] | None = None) -> None:
        self._clock = clock
        self._sessions: OrderedDict[bytes, tuple[Role, float]] = OrderedDict(
            (bytes.fromhex(digest), (Role(role), end)) for digest, (role, end) in (left or {}).items()
        )

    def left(self) -> dict[str, tuple[str, float]]:
        """Return the roles and ends of sessions by the digests of their secrets, as JSON has them."""
        return {digest.hex(): (role.value, end) for digest, (role, end) in self._sessions.items()}

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
