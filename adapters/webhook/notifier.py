"""A notifier that posts alerts as JSON to URLs."""

import http.client
import json
import re
import time
import urllib.error
import urllib.request
from hashlib import sha256
from typing import Any, Final

from eddyline.application.ports.notifier import Alert, AlertRefusedError, Notifier, NotifierUnavailableError

_BACKOFFS_S: Final = (0.2, 1.0)
_TEMPORARY: Final = frozenset({408, 425, 429})
_SERVER_ERROR: Final = 500


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_arguments: Any) -> None:
        """Follow no redirect: an alert goes where the flow says, and nowhere else."""


class WebhookNotifier(Notifier):
    """Posts each alert to the URL that is its recipient, as `{"id": …, "subject": …, "body": …}`.

    The header Idempotency-Key has the hash of the id, so that the receiver can recognize a duplicate. An answer of 2xx accepts
    the alert. Redirects are refused. Attempts that fail for now are repeated twice.

    Args:
        timeout_s: The timeout of each attempt in seconds.
        authorization: The header Authorization, such as `Bearer …`; None without one.
    """

    def __init__(self, timeout_s: float = 10.0, authorization: str | None = None) -> None:
        self._timeout_s, self._authorization = timeout_s, authorization
        self._opener = urllib.request.OpenerDirector()
        for handler in (
            urllib.request.ProxyHandler(),
            urllib.request.HTTPHandler(),
            urllib.request.HTTPSHandler(),
            urllib.request.HTTPDefaultErrorHandler(),
            urllib.request.HTTPErrorProcessor(),
            _NoRedirects(),
        ):
            self._opener.add_handler(handler)

    def send(self, alert: Alert) -> None:
        request = self._request(alert)
        reason = ""
        for backoff_s in (*_BACKOFFS_S, None):
            try:
                with self._opener.open(request, timeout=self._timeout_s):
                    return
            except http.client.InvalidURL:
                raise AlertRefusedError(
                    f"'{_shown(alert.recipient)}' has characters that no URL has; write https://HOST/PATH"
                ) from None
            except urllib.error.HTTPError as answer:
                with answer:
                    self._check(alert, answer)
                reason = f"it answered {answer.code}"
            except (OSError, http.client.HTTPException) as error:  # URLError and time-outs, too
                reason = str(getattr(error, "reason", "") or error) or type(error).__name__
            if backoff_s is not None:
                time.sleep(backoff_s)
        raise NotifierUnavailableError(f"webhook '{_shown(alert.recipient)}' cannot be reached: {reason}")

    def _request(self, alert: Alert) -> urllib.request.Request:
        body = json.dumps({"id": alert.id, "subject": alert.subject, "body": alert.body}, ensure_ascii=True)
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "eddyline",
            "Idempotency-Key": sha256(alert.id.encode("utf-8", "backslashreplace")).hexdigest(),
        }
        if self._authorization is not None:
            headers["Authorization"] = self._authorization
        try:
            request = urllib.request.Request(alert.recipient, body.encode(), headers, method="POST")  # noqa: S310 - checked below
        except ValueError:
            request = None
        if request is None or request.type not in ("http", "https") or not request.host:
            raise AlertRefusedError(f"'{_shown(alert.recipient)}' is not a URL of a webhook; write https://HOST/PATH")
        return request

    @staticmethod
    def _check(alert: Alert, answer: urllib.error.HTTPError) -> None:
        """Raise AlertRefusedError unless another attempt may succeed."""
        if answer.code >= _SERVER_ERROR or answer.code in _TEMPORARY:
            return
        hint = "; redirects are not followed: use the URL that it names" if answer.code // 100 == 3 else ""  # noqa: PLR2004 - 3xx
        raise AlertRefusedError(f"webhook '{_shown(alert.recipient)}' answered {answer.code} {answer.reason}{hint}")


def _shown(url: str) -> str:
    """Return a URL without user, path and query, which are often secrets; of another text, what is before them."""
    scheme, separator, rest = url.partition("://") if "://" in url else ("", "", url)
    authority = re.split(r"[/?#\\]", rest, maxsplit=1)[0]
    return f"{scheme}{separator}{authority.rpartition('@')[2] if separator else authority}"
