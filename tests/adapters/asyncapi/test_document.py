"""AsyncAPI documents of flows: valid by the official schema, with schemas that the encoded records conform to."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from eddyline import Flow, TopologyBuilder, Windowed, tumbling
from eddyline.adapters.container import Container
from eddyline.adapters.settings import Settings
from eddyline.application.runtime.plan.dead_letters import REASON_HEADERS, reason_headers
from eddyline.application.samples.catalogue import FLOWS
from eddyline.application.topology.exception_handlers import ErrorContext
from eddyline.application.topology.windows import Window

SCHEMA = json.loads((Path(__file__).parents[2] / "schemas" / "asyncapi-3.0.0.json").read_text())
VALIDATOR = jsonschema.Draft7Validator(SCHEMA)


class Currency(Enum):
    EURO = "EUR"
    DOLLAR = "USD"


@dataclass(frozen=True)
class Money:
    amount: Decimal
    currency: Currency = Currency.EURO


@dataclass(frozen=True)
class Basket:
    customer: str
    total: Money
    at: datetime
    route: tuple[float, ...]
    parts: tuple["Basket", ...] = ()
    note: str | None = None


def baskets(builder: TopologyBuilder) -> None:
    stream = builder.stream("baskets", key=str, value=Basket)
    stream.to("copies")
    stream.group_by_key().windowed_by(tumbling(1_000, grace=0)).count(store="counts").to_stream().to("basket-counts")
    stream.map_values(lambda basket: basket.total, value=Money).to(lambda _key, money: money.currency.value)
    builder.stream(re.compile("logs-.*"), key=str, value=str).to("logs")


BASKETS = Flow("baskets", "Copies and counts baskets.", baskets)


def document_of(flow: Flow, **settings: Any) -> dict[str, Any]:
    """Return the document of a flow, which is valid and has no reference to what it does not contain."""
    container = Container(settings=Settings.load({name.replace("__", "."): value for name, value in settings.items()}))
    document: dict[str, Any] = container.asyncapi().document(
        flow.topology(), title=flow.name, description=flow.summary, version="1.2.3", application_id=flow.name
    )
    problems = [f"{error.json_path}: {error.message[:200]}" for error in VALIDATOR.iter_errors(json.loads(json.dumps(document)))]
    assert problems == []
    for reference in references(document):
        resolved: Any = document
        for part in reference.removeprefix("#/").split("/"):
            resolved = resolved[part]
    return document


def references(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        for name, value in part.items():
            if name == "$ref":
                yield value
            else:
                yield from references(value)
    elif isinstance(part, list):
        for value in part:
            yield from references(value)


@pytest.mark.parametrize("codec", ["json", "avro", "json-schema"])
@pytest.mark.parametrize("flow", FLOWS, ids=lambda flow: flow.name)
def test_the_documents_of_the_samples_are_valid(flow: Flow, codec: str) -> None:
    document = document_of(flow, default__value__codec=codec, default__key__codec=codec)
    addresses = {channel["address"] for channel in document["channels"].values()}
    topology = flow.topology()
    topics = {spec.name for spec in (*topology.source_topics, *topology.sink_topics)}
    assert addresses - {None} == {*topics, f"{flow.name}-dead-letters"}


def test_the_schema_finds_mistakes() -> None:
    document = document_of(BASKETS)
    document["operations"]["send-copies"]["action"] = "write"
    assert not VALIDATOR.is_valid(document)


def test_topics_are_received_and_sent() -> None:
    document = document_of(BASKETS)
    actions = {operation["channel"]["$ref"]: operation["action"] for operation in document["operations"].values()}
    assert actions["#/channels/baskets"] == "receive"
    assert actions["#/channels/copies"] == actions["#/channels/basket-counts"] == actions["#/channels/logs"] == "send"
    assert actions["#/channels/baskets-dead-letters"] == "send"
    assert document["operations"]["send-copies"]["messages"] == [{"$ref": "#/channels/copies/messages/Basket"}]
    assert document["operations"]["receive-baskets"]["bindings"]["kafka"]["groupId"] == {"type": "string", "enum": ["baskets"]}
    assert document["info"] == {"title": "baskets", "version": "1.2.3", "description": "Copies and counts baskets."}


def test_topics_that_are_unknown_have_no_address() -> None:
    channels = document_of(BASKETS)["channels"].values()
    unknown = [channel["description"] for channel in channels if channel["address"] is None]
    assert sorted(unknown) == ["A function chooses the topic of each record.", "All topics that match logs-.*."]


def test_a_topic_that_is_read_and_written_is_one_channel() -> None:
    def both(builder: TopologyBuilder) -> None:
        builder.stream("events", key=str, value=str).map_values(int, value=int).to("events")

    channel = document_of(Flow("both", "Reads what it writes.", both))["channels"]["events"]
    assert [message["payload"]["type"] for message in channel["messages"].values()] == ["string", "integer"]


@pytest.mark.parametrize("codec", ["json", "json-schema"])
def test_encoded_records_conform_to_the_schemas(codec: str) -> None:
    document = document_of(BASKETS, default__value__codec=codec)
    message = document["channels"]["baskets"]["messages"]["Basket"]
    part = Basket("ann", Money(Decimal("0.50"), Currency.DOLLAR), datetime(2026, 1, 1, tzinfo=UTC), (47.0, 8.5))
    basket = Basket("bob", Money(Decimal("1.50")), datetime(2026, 1, 1, tzinfo=UTC), (1.0, 2.0), (part,), "gift")
    codecs = Container(settings=Settings()).codecs()
    encoded = json.loads(codecs.for_value("baskets", Basket).encode(basket) or b"")
    schema = {**message["payload"], "components": document["components"]}
    jsonschema.Draft7Validator(schema).validate(encoded)
    assert not jsonschema.Draft7Validator(schema).is_valid({**encoded, "route": ["north", 1.0]})
    assert not jsonschema.Draft7Validator(schema).is_valid({**encoded, "total": {"amount": "1.50", "currency": "YEN"}})


def test_encoded_windowed_keys_conform_to_their_schema() -> None:
    document = document_of(BASKETS)
    (message,) = document["channels"]["basket-counts"]["messages"].values()
    key = message["bindings"]["kafka"]["key"]
    codec = Container(settings=Settings()).codecs().for_key("basket-counts", Windowed[str])
    encoded = json.loads(codec.encode(Windowed("ann", Window(0, 1_000))) or b"")
    jsonschema.Draft7Validator(key).validate(encoded)
    assert not jsonschema.Draft7Validator(key).is_valid({**encoded, "window": {"start": 0}})


def test_a_tuple_has_the_schema_of_each_element() -> None:
    flow = Flow("points", "Copies.", lambda builder: builder.stream("points", key=Money, value=tuple[str, Money]).to("copies"))
    document = document_of(flow)
    (message,) = document["channels"]["points"]["messages"].values()
    assert [item.get("type", item.get("$ref")) for item in message["payload"]["items"]] == [
        "string",
        "#/components/schemas/Money",
    ]
    assert message["bindings"]["kafka"]["key"] == {"allOf": [{"$ref": "#/components/schemas/Money"}]}


def test_avro_topics_have_avro_schemas() -> None:
    document = document_of(BASKETS, **{"value.codecs.baskets": "avro", "key.codecs.baskets": "avro", "avro.decimal.scale": 2})
    message = document["channels"]["baskets"]["messages"]["Basket"]
    assert message["contentType"] == "application/vnd.apache.avro"
    assert message["bindings"]["kafka"]["schemaIdLocation"] == "payload"
    schemas = document["components"]["schemas"]
    reference = message["payload"]["$ref"].rpartition("/")[2]
    assert schemas[reference]["schemaFormat"] == "application/vnd.apache.avro;version=1.9.0"
    assert schemas[reference]["schema"]["name"] == "Basket"
    assert message["bindings"]["kafka"]["key"]["x-avro-schema"] == "string"
    (copied,) = document["channels"]["copies"]["messages"].values()
    assert copied["contentType"] == "application/json"
    assert copied["payload"]["$ref"] != message["payload"]["$ref"]


def test_two_classes_of_one_name_are_two_schemas() -> None:
    def two(name: str) -> type:
        return dataclass(frozen=True)(type("Order", (), {"__annotations__": {name: int}, "__module__": __name__}))

    def define(builder: TopologyBuilder) -> None:
        builder.stream("first", key=str, value=two("first")).to("first-copy")
        builder.stream("second", key=str, value=two("second"))

    schemas = document_of(Flow("orders", "Orders of two kinds.", define))["components"]["schemas"]
    assert {name: list(schema["properties"]) for name, schema in schemas.items()} == {
        "Order": ["first"],
        "Order-2": ["second"],
    }


@pytest.mark.parametrize(
    ("codec", "hint", "payload", "media_type"),
    [
        ("string", str, {"type": "string"}, "text/plain"),
        ("long", int, {"type": "integer", "format": "int64"}, "application/octet-stream"),
        ("double", float, {"type": "number", "format": "double"}, "application/octet-stream"),
        ("bytes", bytes, {"type": "string", "format": "binary"}, "application/octet-stream"),
        ("json", str, {"type": "string"}, "text/plain"),
        ("json", bytes, {"type": "string", "format": "binary"}, "application/octet-stream"),
        ("json", Any, {"description": "Any JSON value."}, "application/json"),
    ],
)
def test_values_without_a_schema_of_their_own(codec: str, hint: Any, payload: Any, media_type: str) -> None:
    flow = Flow("copy", "Copies.", lambda builder: builder.stream("input", key=str, value=hint).to("output"))
    (message,) = document_of(flow, **{"value.codecs.input": codec})["channels"]["input"]["messages"].values()
    assert message["payload"] == payload
    assert message["contentType"] == media_type


def test_brokers_are_servers_without_secrets() -> None:
    document = document_of(
        BASKETS,
        **{
            "log": "kafka",
            "bootstrap.servers": "one:9093, SASL_SSL://two:9093",
            "security.protocol": "SASL_SSL",
            "sasl.mechanism": "SCRAM-SHA-512",
            "sasl.username": "ann",
            "sasl.password": "secret",
            "schema.registry.url": "https://ann:secret@registry:8081",
        },
    )
    registry = {"schemaRegistryUrl": "https://registry:8081", "schemaRegistryVendor": "confluent", "bindingVersion": "0.5.0"}
    common = {"protocol": "kafka-secure", "security": [{"type": "scramSha512"}], "bindings": {"kafka": registry}}
    assert document["servers"] == {"kafka-1": {"host": "one:9093", **common}, "kafka-2": {"host": "two:9093", **common}}
    assert "secret" not in json.dumps(document)


@pytest.mark.parametrize(
    ("settings", "security"),
    [
        ({}, None),
        ({"security.protocol": "SASL_PLAINTEXT", "sasl.mechanisms": "PLAIN"}, "plain"),
        ({"security.protocol": "SASL_SSL", "sasl.mechanism": "OAUTHBEARER"}, None),
        ({"security.protocol": "SSL", "ssl.certificate.location": "client.pem"}, "X509"),
    ],
)
def test_the_kind_of_login_follows_the_settings(settings: dict[str, str], security: str | None) -> None:
    server = document_of(BASKETS, log="kafka", **settings)["servers"]["kafka"]
    assert server.get("security") == (None if security is None else [{"type": security}])
    assert server["host"] == "127.0.0.1:9092"


def test_topics_in_files_have_no_server() -> None:
    assert "servers" not in document_of(BASKETS)


def test_the_headers_of_dead_letters_are_described() -> None:
    headers = document_of(BASKETS)["channels"]["baskets-dead-letters"]["messages"]["DeadLetter"]["headers"]["properties"]
    context = ErrorContext("count", "0_0", "input", 0, 1, 1_000)
    written = {name for name, _ in reason_headers(ValueError("bad"), "input", 0, 1, context)}
    assert set(headers) == set(REASON_HEADERS) == written


def test_protobuf_schemas_are_in_the_document() -> None:
    @dataclass
    class Row:
        count: int

    def copy(builder: TopologyBuilder) -> None:
        builder.stream("rows", key=Row, value=Row).to("copies")

    document = document_of(Flow("copy", "Copies rows.", copy), default__value__codec="protobuf", default__key__codec="protobuf")
    schema = 'syntax = "proto3";\n\nmessage Row {\n  int64 count = 1;\n}\n'
    assert {"schemaFormat": "application/vnd.google.protobuf;version=3", "schema": schema} in document["components"][
        "schemas"
    ].values()
    (message,) = document["channels"]["rows"]["messages"].values()
    assert message["bindings"]["kafka"]["key"]["x-protobuf-schema"] == schema
