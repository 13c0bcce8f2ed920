"""A client of the query server, for commands."""

import re
from collections.abc import Mapping
from pathlib import Path
from ssl import create_default_context
from typing import Any, Self
from urllib.parse import quote

import httpx

_TIMEOUT_S = 60.0
_ERROR_NUMBER = re.compile(r"\[Errno -?\d+\] ")


class QueryClientError(Exception):
    """The server does not answer, or answers with a problem; the message says which.

    `kind` is the kind of the problem, such as `no-run`; empty without one.
    """

    def __init__(self, message: str, kind: str = "") -> None:
        super().__init__(message)
        self.kind = kind


class QueryClient:
    """Asks a query server; use it as a context manager.

    Args:
        url: The URL of the server.
        token: The bearer token.
        login: The user and the password, as an alternative to the token.
        ca_file: The PEM file of authorities to verify the server with, None for those that the system trusts.
    """

    error = QueryClientError

    def __init__(
        self, url: str, token: str | None = None, login: tuple[str, str] | None = None, ca_file: Path | None = None
    ) -> None:
        self._url = re.sub("//[^/?#]*@", "//", url)  # errors name it, and a login in it is secret
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        auth = httpx.BasicAuth(*login) if login is not None and token is None else None
        verify = create_default_context(cafile=ca_file) if url.startswith("https:") else False
        self._http = httpx.Client(base_url=url, headers=headers, auth=auth, verify=verify, timeout=_TIMEOUT_S)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._http.close()

    def run(self) -> dict[str, Any] | None:
        """Return the status of the run beside the server, that of a service with its `flows`; None if it has none.

        Raises:
            QueryClientError: The server does not answer, or refuses.
        """
        try:
            return self._get("/status", {})
        except QueryClientError as error:
            if error.kind == "no-run":
                return None
            raise

    def stores(self) -> list[dict[str, Any]]:
        """Return all stores.

        Raises:
            QueryClientError: The server does not answer, or refuses.
        """
        stores: list[dict[str, Any]] = self._get("/stores", {})["stores"]
        return stores

    def rows(self, store: str, query: str, key: str | None, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer of a query of a store.

        Args:
            store: The store.
            query: The query, such as `keys` or `range`.
            key: The key or prefix, None for queries without one.
            parameters: The other parameters.

        Raises:
            QueryClientError: The server does not answer, or refuses.
        """
        path = f"/stores/{quote(store, safe='')}/{query}" + ("" if key is None else f"/{quote(key, safe='').replace('.', '%2E')}")
        return self._get(path, parameters)

    def _get(self, path: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        try:
            answer = self._http.get(path, params=dict(parameters))
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            reason = _ERROR_NUMBER.sub("", str(error)).lower() or type(error).__name__
            raise QueryClientError(
                f"no query server answers at '{self._url}': {reason}; start a run with 'eddyline run FLOW --serve', or a server "
                "of stores with 'eddyline serve', or choose another server with --server"
            ) from error
        try:
            found = answer.json()
        except ValueError as error:
            raise self._no_query_server() from error
        if answer.is_error:
            kind = str(found.get("type", "")).rpartition(":")[2]
            raise QueryClientError(str(found.get("detail", answer.reason_phrase)), kind)
        if not isinstance(found, dict):
            raise self._no_query_server()
        return found

    def _no_query_server(self) -> QueryClientError:
        return QueryClientError(f"the server at '{self._url}' is no query server; choose another with --server")
