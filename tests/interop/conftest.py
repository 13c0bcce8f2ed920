import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from eddyline.adapters.avro.format import AvroFormats
from eddyline.adapters.registry.client import SchemaRegistry
from eddyline.adapters.registry.codecs import RegistryCodecs
from eddyline.adapters.registry.settings import RegistrySettings
from eddyline.adapters.services.registry import Registry as RegistryService
from tests.interop.peer import JavaPeer, Serde, build

_CACHE = Path(__file__).resolve().parents[2] / ".services" / "parts"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "java" in getattr(item, "fixturenames", ()):
            item.add_marker("services")


@pytest.fixture(scope="session")
def java() -> Iterator[JavaPeer]:
    """A Java program with the serdes of Kafka and Apicurio."""
    peer = JavaPeer(build(_CACHE))
    yield peer
    peer.close()


@pytest.fixture
def avro(schema_registry: RegistryService) -> RegistryCodecs:
    """The Avro codecs of Eddyline."""
    return RegistryCodecs(SchemaRegistry(RegistrySettings.from_properties({"url": schema_registry.url})), AvroFormats())


@pytest.fixture
def avro_serde(schema_registry: RegistryService) -> Serde:
    """The Avro serde of Apicurio with the same registry, by the URL of its own API."""
    return {"type": "avro", "registry": schema_registry.url.replace("/apis/ccompat/v7", "/apis/registry/v2")}


@pytest.fixture
def topic() -> str:
    """A topic that no other test uses."""
    return f"interop-{uuid.uuid4().hex[:12]}"
