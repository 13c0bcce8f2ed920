"""Passes a request for a key to the instance that holds it, once."""

from http import HTTPStatus
from ssl import create_default_context

import httpx
from fastapi import Request, Response

from eddyline.adapters.web.options import ServerOptions
from eddyline.adapters.web.problems import ProblemError

FORWARDED = "Eddyline-Forwarded"
"""The header of a request that another instance has passed on."""

_PASSED_ON = ("authorization", "accept")
_SPARE_S = 5.0


class Forwarding:
    """Passes requests on to other instances, which have the same credentials and either all TLS or none."""

    def __init__(self, options: ServerOptions) -> None:
        self._options = options
        self._client: httpx.AsyncClient | None = None

    async def forward(self, request: Request, host: str) -> Response:
        """Return the answer of another instance.

        Raises:
            ProblemError: The request was passed on before, or the instance does not answer.
        """
        if FORWARDED in request.headers:
            detail = f"instance '{host}' holds the key, and the request was passed on before: the instances disagree; try again"
            raise ProblemError(HTTPStatus.MISDIRECTED_REQUEST, "misdirected", detail, headers={"Retry-After": "1"})
        query: bytes = request.scope["query_string"]
        path: bytes = request.scope["raw_path"]
        url = httpx.URL(f"{self._options.scheme}://{host}").copy_with(raw_path=path + (b"?" + query if query else b""))
        headers = {name: request.headers[name] for name in _PASSED_ON if name in request.headers}
        try:
            answer = await self._open().get(url, headers={**headers, FORWARDED: "1"})
        except httpx.HTTPError as error:
            reason = str(error) or type(error).__name__
            detail = f"instance '{host}', which holds the key, does not answer: {reason}; try again"
            raise ProblemError(HTTPStatus.BAD_GATEWAY, "instance-unavailable", detail, headers={"Retry-After": "1"}) from error
        kept = {name: answer.headers[name] for name in ("content-type", "retry-after") if name in answer.headers}
        return Response(answer.content, status_code=answer.status_code, headers=kept)

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.aclose()

    def _open(self) -> httpx.AsyncClient:
        if self._client is None:
            verify = create_default_context(cafile=self._options.ca_file)
            timeout = httpx.Timeout(self._options.max_timeout_s + _SPARE_S, connect=_SPARE_S)
            self._client = httpx.AsyncClient(timeout=timeout, verify=verify, follow_redirects=False, trust_env=False)
        return self._client
