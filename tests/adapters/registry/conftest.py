"""Clients of the schema registry that do not try for long, unique topics, and a fake registry that answers anything."""

import json
import threading
import uuid
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

import pytest
from confluent_kafka.schema_registry import SchemaRegistryClient

from eddyline.adapters.avro.format import AvroFormats
from eddyline.adapters.registry.client import SchemaRegistry
from eddyline.adapters.registry.codecs import RegistryCodecs
from eddyline.adapters.registry.settings import RegistrySettings
from eddyline.adapters.services.registry import Registry as RegistryService
from tests.adapters.registry.in_memory import InMemorySchemaRegistry

FEW_RETRIES = {"max.retries": 1, "retries.wait.ms": 1, "timeout": 120}


def registry_at(url: str, **properties: Any) -> SchemaRegistry:
    return SchemaRegistry(RegistrySettings.from_properties({"url": url, **FEW_RETRIES, **properties}))


@pytest.fixture
def registry(schema_registry: RegistryService) -> Iterator[SchemaRegistry]:
    client = registry_at(schema_registry.url)
    yield client
    client.close()


@pytest.fixture
def avro(registry: SchemaRegistry) -> RegistryCodecs:
    return RegistryCodecs(registry, AvroFormats())


@pytest.fixture
def topic() -> str:
    """A topic with a unique name."""
    return f"topic-{uuid.uuid4().hex[:12]}"


class Registries(NamedTuple):
    """Clients of one registry, in programs of their own, and a function that sets the level of compatibility of a subject."""

    clients: tuple[SchemaRegistry, SchemaRegistry]
    set_level: Callable[[str, str], object]


def registries_of(kind: str, request: pytest.FixtureRequest) -> Iterator[Registries]:
    """Yield clients of the registry in memory, or of the real one, for a fixture."""
    if kind == "memory":
        yield Registries((InMemorySchemaRegistry(), InMemorySchemaRegistry()), InMemorySchemaRegistry.set_level)
        return
    url = request.getfixturevalue("schema_registry").url
    clients = (registry_at(url), registry_at(url))
    yield Registries(clients, SchemaRegistryClient({"url": url}).set_compatibility)
    for client in clients:
        client.close()


class FakeRegistry:
    """A registry that answers the requests for a path, or for all paths ("*"), as set in `answers`, else with an empty 404.

    `requests` has the paths of the requests, `headers` their headers.
    """

    def __init__(self) -> None:
        self.requests: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.answers: dict[str, tuple[int, Any]] = {}
        fake = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                path = self.path.partition("?")[0]
                fake.requests.append(path)
                fake.headers.append(dict(self.headers))
                length = int(self.headers.get("Content-Length") or 0)
                self.rfile.read(length)
                status, body = fake.answers.get(path, fake.answers.get("*", (404, b"")))
                data = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_POST = do_GET  # noqa: N815 - the name that the server calls

            def log_message(self, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def fake() -> Iterator[FakeRegistry]:
    registry = FakeRegistry()
    yield registry
    registry.close()
