import socket
import time
from collections.abc import Callable, Iterator

import pytest

from eddyline.adapters.avro.format import AvroFormats
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
def dead_url() -> Iterator[str]:
    """An address where nobody listens, and nobody else will while the test runs."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"


@pytest.fixture
def silent_url() -> Iterator[str]:
    """An address that takes calls and never answers."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(16)
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


ASKING: list[Callable[[RegistryCodec], object]] = [lambda codec: codec.decode(DATA), lambda codec: codec.encode(TRADE)]


@pytest.mark.parametrize("ask", ASKING, ids=["reading", "writing"])
def test_nobody_there_is_an_outage_never_the_records_fault(dead_url: str, ask: Callable[[RegistryCodec], object]) -> None:
    with pytest.raises(RegistryUnavailableError, match=f"the schema registry at {dead_url} cannot be used now") as caught:
        ask(codec_at(dead_url))
    assert not isinstance(caught.value, CodecError)
    assert isinstance(caught.value, CodecUnavailableError)


@pytest.mark.parametrize("ask", ASKING, ids=["reading", "writing"])
def test_no_answer_in_time_is_an_outage(silent_url: str, ask: Callable[[RegistryCodec], object]) -> None:
    with pytest.raises(RegistryUnavailableError, match="timed out"):
        ask(codec_at(silent_url, timeout=0.1))


@pytest.mark.parametrize("status", [401, 403, 408, 429, 500, 502, 503, 504, 418, 301])
@pytest.mark.parametrize("body", [b"", b"<html>oops</html>", {"error_code": 50001, "message": "store is down"}], ids=str)
def test_an_answer_that_is_none_is_an_outage(fake: FakeRegistry, status: int, body: object) -> None:
    fake.answers["*"] = (status, body)
    for ask in ASKING:
        with pytest.raises(RegistryUnavailableError):
            ask(codec_at(fake.url))


@pytest.mark.parametrize("status", [200, 404])
@pytest.mark.parametrize("body", [b"", b"<html>welcome</html>", [], {}, {"message": "no such page"}], ids=str)
def test_an_address_that_is_no_registry_is_an_outage(fake: FakeRegistry, status: int, body: object) -> None:
    fake.answers["*"] = (status, body)
    for ask in ASKING:
        with pytest.raises(RegistryUnavailableError):
            ask(codec_at(fake.url))


@pytest.mark.parametrize("status", [408, 429, 500, 503])
def test_what_may_pass_is_tried_again_as_often_as_set(fake: FakeRegistry, status: int) -> None:
    fake.answers["*"] = (status, b"")
    with pytest.raises(RegistryUnavailableError):
        codec_at(fake.url, **{"max.retries": 4}).decode(DATA)
    assert len(fake.asked) == 5


def test_waits_between_tries_grow_up_to_the_longest(fake: FakeRegistry, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr("random.random", lambda: 1.0)
    monkeypatch.setattr(time, "sleep", waits.append)
    fake.answers["*"] = (503, b"")
    with pytest.raises(RegistryUnavailableError):
        codec_at(fake.url, **{"max.retries": 4, "retries.wait.ms": 100, "retries.max.wait.ms": 300}).decode(DATA)
    assert waits == [0.1, 0.2, 0.3, 0.3]


def test_refused_credentials_are_not_tried_again_and_not_shown(fake: FakeRegistry) -> None:
    fake.answers["*"] = (401, {"error_code": 401, "message": "Unauthorized"})
    url = fake.url.replace("//", "//me:hush@")
    with pytest.raises(RegistryUnavailableError, match="Unauthorized") as caught:
        codec_at(url).decode(DATA)
    assert fake.asked == ["/schemas/ids/7"]
    assert fake.headers[0]["Authorization"].startswith("Basic ")
    assert "hush" not in str(caught.value)


def test_nothing_is_remembered_of_an_outage(fake: FakeRegistry) -> None:
    form = AvroFormats()("t", "value", Trade)
    codec = codec_at(fake.url)
    data = form.payload(TRADE, b"\x00\x00\x00\x00\x07")
    fake.answers["*"] = (503, b"")
    with pytest.raises(RegistryUnavailableError):
        codec.decode(data)
    with pytest.raises(RegistryUnavailableError):
        codec.encode(TRADE)
    fake.answers["*"] = (200, {"id": 7, "schema": form.schema_text})
    assert codec.decode(data) == TRADE
    assert codec.encode(TRADE) == data


def test_what_is_known_is_read_and_written_while_the_registry_is_down(fake: FakeRegistry) -> None:
    form = AvroFormats()("t", "value", Trade)
    fake.answers["*"] = (200, {"id": 7, "schema": form.schema_text})
    codec = codec_at(fake.url)
    data = codec.encode(TRADE)
    codec.decode(data)
    fake.answers["*"] = (503, b"")
    assert codec.decode(codec.encode(TRADE)) == TRADE


@pytest.mark.parametrize("status", [409, 422])
def test_a_schema_that_the_registry_refuses_stops_the_flow_with_its_reason(fake: FakeRegistry, status: int) -> None:
    fake.answers["*"] = (status, {"error_code": status, "message": "price is missing a default"})
    with pytest.raises(
        SchemaRefusedError, match="subject t-value does not take our schema: price is missing a default"
    ) as caught:
        codec_at(fake.url).encode(TRADE)
    assert not isinstance(caught.value, CodecError)


def test_settings_that_the_client_cannot_use_are_named() -> None:
    with pytest.raises(
        RegistrySettingError, match=r"the settings of the schema registry at http://127\.0\.0\.1:1 cannot be used"
    ):
        codec_at("http://127.0.0.1:1", **{"basic.auth.user.info": "nocolon"}).decode(DATA)


def test_a_registry_that_went_is_an_outage_and_serves_the_same_schemas_when_it_is_back(own_registry: RegistryService) -> None:
    own_registry.start()
    data = codec_at(own_registry.url).encode(TRADE)
    assert data is not None
    codec = codec_at(own_registry.url)
    own_registry.stop()
    with pytest.raises(RegistryUnavailableError):
        codec.decode(data)
    own_registry.start()
    assert codec.decode(data) == TRADE
    with pytest.raises(UnknownSchemaError):
        codec.decode(b"\x00\x00\x00\x03\xe7abc")
