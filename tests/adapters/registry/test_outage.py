import socket
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from eddyline.adapters.avro.format import AvroFormat, AvroFormats
from eddyline.adapters.registry.codec import RegistryCodec
from eddyline.adapters.registry.codecs import RegistryCodecs
from eddyline.adapters.registry.errors import (
    RegistrySettingError,
    RegistryUnavailableError,
    SchemaRefusedError,
    UnknownSchemaError,
)
from eddyline.adapters.services.registry import Registry as RegistryService
from eddyline.application.ports.codec import CodecError, CodecUnavailableError
from tests.adapters.avro.models import Trade
from tests.adapters.registry.conftest import FakeRegistry, registry_at

TRADE = Trade("ASK", "MSFT", 12.5, 100)
DATA = b"\x00\x00\x00\x00\x07abc"


def codec_at(url: str, **properties: object) -> RegistryCodec:
    return RegistryCodecs(registry_at(url, **properties), AvroFormats()).for_value("t", Trade)


@pytest.fixture
def closed_url() -> Iterator[str]:
    """A URL whose port is reserved, so that nothing listens there."""
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{reserved.getsockname()[1]}"


@pytest.fixture
def unresponsive_url() -> Iterator[str]:
    """A URL that accepts connections and never answers."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(16)
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


OPERATIONS: list[Callable[[RegistryCodec], object]] = [lambda codec: codec.decode(DATA), lambda codec: codec.encode(TRADE)]


@pytest.mark.parametrize("operation", OPERATIONS, ids=["decode", "encode"])
def test_a_refused_connection_means_unavailable_and_no_error_of_the_record(
    closed_url: str, operation: Callable[[RegistryCodec], object]
) -> None:
    with pytest.raises(RegistryUnavailableError, match=f"the schema registry at {closed_url} is unavailable") as caught:
        operation(codec_at(closed_url))
    assert not isinstance(caught.value, CodecError)
    assert isinstance(caught.value, CodecUnavailableError)


@pytest.mark.parametrize("operation", OPERATIONS, ids=["decode", "encode"])
def test_a_timeout_means_unavailable(unresponsive_url: str, operation: Callable[[RegistryCodec], object]) -> None:
    with pytest.raises(RegistryUnavailableError, match="timed out"):
        operation(codec_at(unresponsive_url, timeout=0.1))


@pytest.mark.parametrize("status", [401, 403, 408, 429, 500, 502, 503, 504, 418, 301])
@pytest.mark.parametrize("body", [b"", b"<html>oops</html>", {"error_code": 50001, "message": "store is down"}], ids=str)
def test_an_error_response_means_unavailable(fake: FakeRegistry, status: int, body: object) -> None:
    fake.answers["*"] = (status, body)
    for operation in OPERATIONS:
        with pytest.raises(RegistryUnavailableError):
            operation(codec_at(fake.url))


@pytest.mark.parametrize("status", [200, 404])
@pytest.mark.parametrize("body", [b"", b"<html>welcome</html>", [], {}, {"message": "no such page"}], ids=str)
def test_the_url_of_another_service_means_unavailable(fake: FakeRegistry, status: int, body: object) -> None:
    fake.answers["*"] = (status, body)
    for operation in OPERATIONS:
        with pytest.raises(RegistryUnavailableError):
            operation(codec_at(fake.url))


@pytest.mark.parametrize("status", [408, 429, 500, 503])
def test_transient_errors_are_retried_up_to_max_retries(fake: FakeRegistry, status: int) -> None:
    fake.answers["*"] = (status, b"")
    with pytest.raises(RegistryUnavailableError):
        codec_at(fake.url, **{"max.retries": 4}).decode(DATA)
    assert len(fake.requests) == 5


def test_the_backoff_between_retries_grows_up_to_its_maximum(fake: FakeRegistry, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    here, sleep = threading.current_thread(), time.sleep
    monkeypatch.setattr("random.random", lambda: 1.0)
    monkeypatch.setattr(
        time, "sleep", lambda seconds: waits.append(seconds) if threading.current_thread() is here else sleep(seconds)
    )
    fake.answers["*"] = (503, b"")
    with pytest.raises(RegistryUnavailableError):
        codec_at(fake.url, **{"max.retries": 4, "retries.wait.ms": 100, "retries.max.wait.ms": 300}).decode(DATA)
    assert waits == [0.1, 0.2, 0.3, 0.3]


def test_rejected_credentials_are_not_retried_and_not_shown(fake: FakeRegistry) -> None:
    fake.answers["*"] = (401, {"error_code": 401, "message": "Unauthorized"})
    url = fake.url.replace("//", "//me:secret@")
    with pytest.raises(RegistryUnavailableError, match="Unauthorized") as caught:
        codec_at(url).decode(DATA)
    assert fake.requests == ["/schemas/ids/7"]
    assert fake.headers[0]["Authorization"].startswith("Basic ")
    assert "secret" not in str(caught.value)


def test_the_codec_works_after_an_outage(fake: FakeRegistry) -> None:
    avro_format = AvroFormat(Trade)
    codec = codec_at(fake.url)
    data = avro_format.encode(TRADE, b"\x00\x00\x00\x00\x07")
    fake.answers["*"] = (503, b"")
    with pytest.raises(RegistryUnavailableError):
        codec.decode(data)
    with pytest.raises(RegistryUnavailableError):
        codec.encode(TRADE)
    fake.answers["*"] = (200, {"id": 7, "schema": avro_format.schema_text})
    assert codec.decode(data) == TRADE
    assert codec.encode(TRADE) == data


def test_known_schemas_are_used_while_the_registry_is_down(fake: FakeRegistry) -> None:
    avro_format = AvroFormat(Trade)
    fake.answers["*"] = (200, {"id": 7, "schema": avro_format.schema_text})
    codec = codec_at(fake.url)
    data = codec.encode(TRADE)
    codec.decode(data)
    fake.answers["*"] = (503, b"")
    assert codec.decode(codec.encode(TRADE)) == TRADE


@pytest.mark.parametrize("status", [409, 422])
def test_a_refused_schema_is_no_error_of_the_record(fake: FakeRegistry, status: int) -> None:
    fake.answers["*"] = (status, {"error_code": status, "message": "price is missing a default"})
    with pytest.raises(SchemaRefusedError, match="subject 't-value' refuses the schema: price is missing a default") as caught:
        codec_at(fake.url).encode(TRADE)
    assert not isinstance(caught.value, CodecError)


def test_settings_that_the_client_does_not_accept_are_an_error() -> None:
    with pytest.raises(RegistrySettingError, match=r"invalid settings for the schema registry at http://127\.0\.0\.1:1: "):
        codec_at("http://127.0.0.1:1", **{"basic.auth.user.info": "nocolon"}).decode(DATA)


@pytest.mark.slow
def test_schemas_are_available_again_after_a_restart_of_the_registry(own_registry: RegistryService) -> None:
    own_registry.start()
    data = codec_at(own_registry.url, timeout=60).encode(TRADE)
    assert data is not None
    codec = codec_at(own_registry.url, timeout=60)
    own_registry.stop()
    with pytest.raises(RegistryUnavailableError):
        codec.decode(data)
    own_registry.start()
    assert codec.decode(data) == TRADE
    with pytest.raises(UnknownSchemaError):
        codec.decode(b"\x00\x00\x00\x03\xe7abc")
