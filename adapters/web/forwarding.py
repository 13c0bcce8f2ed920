"""Asks other instances for their parts of an answer."""

import asyncio
import base64
from collections.abc import Mapping
from http import HTTPStatus
from ssl import create_default_context
from typing import Any

import httpx
from fastapi import Request

from eddyline.adapters.web.models import FreshnessModel
from eddyline.adapters.web.options import ServerOptions
from eddyline.adapters.web.problems import ProblemError
from eddyline.adapters.web.tokens import published_token
from eddyline.application.queries.answers import Freshness, RowPosition
from eddyline.application.queries.parts import AnswerPart

FORWARDED = "Eddyline-Forwarded"
"""The header of a request of another instance, which wants the part that this one holds."""

_SPARE_S = 5.0
_ANSWERS = {HTTPStatus.BAD_REQUEST, HTTPStatus.PRECONDITION_FAILED, HTTPStatus.UNPROCESSABLE_ENTITY}
"""The problems that are an answer to the request; others are those of the instance."""


class Forwarding:
    """Passes requests on to other instances, which have the same credentials and either all TLS or none.

    Generated tokens differ: an instance finds those of others on its machine, as commands do.
    """

    def __init__(self, options: ServerOptions) -> None:
        self._options = options
        self._client: httpx.AsyncClient | None = None

    async def part(self, request: Request, host: str, wait_s: float, path: str | None = None) -> AnswerPart:
        """Return the answer of another instance.

        Args:
            request: The request to pass on.
            host: The address of the instance.
            wait_s: How long the instance may wait until its state includes what the request asks for.
            path: Another path with a query, None for those of the request.

        Raises:
            ProblemError: The instance does not answer, or answers with a problem.
        """
        if path is None:
            query: bytes = request.scope["query_string"]
            raw_path: bytes = request.scope["raw_path"] + (b"?" + query if query else b"")
        else:
            raw_path = path.encode("ascii")
        url = httpx.URL(f"{self._options.scheme}://{host}").copy_with(raw_path=raw_path)
        headers = {"Accept": request.headers.get("accept", "*/*")}
        authorization = await asyncio.to_thread(self._authorization, host)
        if authorization is not None:
            headers["Authorization"] = authorization
        try:
            timeout = httpx.Timeout(wait_s + _SPARE_S)
            answer = await self._open().get(url, headers={**headers, FORWARDED: "1"}, timeout=timeout)
            content = answer.json()
            if answer.status_code == HTTPStatus.OK:
                return _part(content)
            detail, kind = content["detail"], content["type"].rpartition(":")[2]
        except (httpx.HTTPError, ValueError, KeyError, TypeError) as error:
            raise _unavailable(host, f"does not answer: {str(error) or type(error).__name__}") from error
        if answer.status_code in _ANSWERS:
            raise ProblemError(answer.status_code, kind, detail, headers=_retry(answer))
        raise _unavailable(host, f"cannot answer: {detail}")

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.aclose()

    def _authorization(self, host: str) -> str | None:
        """Return with what this instance reads from another one, which answers every client that this one answers."""
        if not self._options.generated:
            return self._options.reader_authorization
        token = published_token(f"{self._options.scheme}://{host}")
        return None if token is None else f"Bearer {token}"

    def _open(self) -> httpx.AsyncClient:
        if self._client is None:
            verify = create_default_context(cafile=self._options.ca_file)
            self._client = httpx.AsyncClient(verify=verify, follow_redirects=False, trust_env=False)
        return self._client


def _part(content: Mapping[str, Any]) -> AnswerPart:
    if len(content["rows"]) != len(content["positions"]):
        raise ValueError("its answer has another form; run the same version of Eddyline on all instances")
    freshness = FreshnessModel.model_validate(content["freshness"])
    return AnswerPart(
        rows=content["rows"],
        positions=[
            RowPosition(number, base64.b64decode(sort_key), start, end, partition)
            for number, sort_key, start, end, partition in content["positions"]
        ],
        partitions=content["partitions"],
        has_more=content["cursor"] is not None,
        freshness=Freshness(**dict(freshness)),
    )


def _unavailable(host: str, problem: str) -> ProblemError:
    detail = (
        f"instance '{host}', which holds a part of the answer, {problem}; try again: if the instance has died, its partitions "
        "move to the others within its session timeout"
    )
    return ProblemError(HTTPStatus.SERVICE_UNAVAILABLE, "instance-unavailable", detail, headers={"Retry-After": "1"})


def _retry(answer: httpx.Response) -> dict[str, str] | None:
    return {"Retry-After": answer.headers["retry-after"]} if "retry-after" in answer.headers else None
