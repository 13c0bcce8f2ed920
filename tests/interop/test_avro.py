"""Avro values: Eddyline and the serdes of Apicurio, with Avro's Java library, read what the other one writes."""

import json
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings

from eddyline.adapters.avro.schema import schema_for
from eddyline.adapters.codecs.windowed import SessionWindowedCodec, TimeWindowedCodec
from eddyline.adapters.registry.codecs import RegistryCodecs
from eddyline.application.topology.windows import Window, Windowed
from tests.adapters.avro.models import Everything, Leg, Level, Node, Pair, Side, Trade
from tests.adapters.avro.strategies import EVERYTHING
from tests.fixtures.examples import examples
from tests.interop.peer import JavaError, JavaPeer, Serde

TRADE = Trade("ASK", "MSFT", 12.5, 100)
LEG = Leg(Decimal("-1.5"), ("a", "b"))
ALL = Everything(
    text="Zürich",
    whole=-(2**63),
    fraction=-0.0,
    truth=True,
    raw=b"\xff\x00",
    money=Decimal("123.456"),
    day=date(1969, 12, 31),
    clock=time(23, 59, 59, 999_999),
    instant=datetime(2024, 2, 29, 12, tzinfo=UTC),
    identity=UUID(int=7),
    side=Side.SELL,
    level=Level.ERROR,
    mode="fast",
    legs=[LEG],
    names={"a": 1},
    maybe=None,
    several=LEG,
    nested={"x": [None, LEG]},
    open_value={"a": [1, 2.5, "x", None, True]},
    pair_of_legs=Pair(LEG, LEG),
)


@pytest.mark.slow
def test_java_reads_what_eddyline_writes(java: JavaPeer, avro: RegistryCodecs, avro_serde: Serde, topic: str) -> None:
    data = avro.for_value(topic, Trade).encode(TRADE)
    assert data is not None
    assert java.deserialize(avro_serde, data) == {"type": "ASK", "ticker": "MSFT", "price": 12.5, "size": 100}


@pytest.mark.parametrize(
    "value", [TRADE, ALL, Node("a", [Node("b", [Node("c")]), Node("d")])], ids=lambda value: type(value).__name__
)
def test_java_writes_a_value_of_eddyline_back_as_the_same_bytes(
    java: JavaPeer, avro: RegistryCodecs, avro_serde: Serde, topic: str, value: Any
) -> None:
    codec = avro.for_value(topic, type(value))
    data = codec.encode(value)
    assert data is not None
    found = java.deserialize(avro_serde, data)
    schema = json.dumps(schema_for(type(value)), separators=(",", ":"))
    by_java = java.serialize({**avro_serde, "schema": schema}, found, topic)
    assert by_java[5:] == data[5:]
    assert codec.decode(by_java) == value


@settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=EVERYTHING)
def test_every_value_survives_a_round_trip_through_java(
    java: JavaPeer, avro: RegistryCodecs, avro_serde: Serde, value: Everything
) -> None:
    codec = avro.for_value("interop-everything", Everything)
    data = codec.encode(value)
    assert data is not None
    schema = json.dumps(schema_for(Everything), separators=(",", ":"))
    by_java = java.serialize({**avro_serde, "schema": schema}, java.deserialize(avro_serde, data), "interop-everything")
    assert codec.decode(by_java) == value


@dataclass
class Deal:
    ticker: str
    price: float
    at: datetime
    amount: Decimal
    side: Side
    note: str | None = None
    count: int = 1


JAVA_DEAL = {
    "type": "record",
    "name": "Deal",
    "namespace": "com.acme.stocks",
    "fields": [
        {"name": "source", "type": {"type": "string", "avro.java.string": "String"}},
        {"name": "price", "type": "float"},
        {"name": "ticker", "type": {"type": "string", "avro.java.string": "String"}},
        {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
        {"name": "amount", "type": {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2}},
        {"name": "side", "type": {"type": "enum", "name": "Side", "symbols": ["BUY", "SELL"]}},
        {"name": "count", "type": "int"},
    ],
}


def test_eddyline_reads_a_record_with_a_schema_of_java(
    java: JavaPeer, avro: RegistryCodecs, avro_serde: Serde, topic: str
) -> None:
    value = {
        "source": "feed",
        "price": 2.5,
        "ticker": "MSFT",
        "at": 1_500,
        "amount": "\x01\x00",
        "side": "SELL",
        "count": 3,
    }
    data = java.serialize({**avro_serde, "schema": json.dumps(JAVA_DEAL)}, value, topic)
    instant = datetime(1970, 1, 1, 0, 0, 1, 500_000, tzinfo=UTC)
    assert avro.for_value(topic, Deal).decode(data) == Deal("MSFT", 2.5, instant, Decimal("2.56"), Side.SELL, None, 3)
    assert avro.for_value(topic, Any).decode(data)["source"] == "feed"


@pytest.mark.parametrize("session", [False, True], ids=["time", "session"])
def test_windowed_avro_keys(java: JavaPeer, avro: RegistryCodecs, avro_serde: Serde, topic: str, session: bool) -> None:
    key = avro.for_key(topic, Trade)
    codec = SessionWindowedCodec(key) if session else TimeWindowedCodec(key, 5_000)
    serde = {"type": "session-windowed" if session else "time-windowed", "sizeMs": 5_000, "inner": {**avro_serde, "key": True}}
    data = codec.encode(Windowed(TRADE, Window(10_000, 15_000)))
    assert data is not None
    inner = {"type": "ASK", "ticker": "MSFT", "price": 12.5, "size": 100}
    assert java.deserialize(serde, data) == {"key": inner, "start": 10_000, "end": 15_000}


def test_java_rejects_truncated_data(java: JavaPeer, avro: RegistryCodecs, avro_serde: Serde, topic: str) -> None:
    data = avro.for_value(topic, Trade).encode(TRADE)
    assert data is not None
    with pytest.raises(JavaError, match=r"EOFException|ArrayIndexOutOfBounds"):
        java.deserialize(avro_serde, data[:-3])


def test_java_reads_every_kind_of_field_with_its_meaning(
    java: JavaPeer, avro: RegistryCodecs, avro_serde: Serde, topic: str
) -> None:
    data = avro.for_value(topic, Everything).encode(ALL)
    assert data is not None
    found = java.deserialize(avro_serde, data)
    leg = {"price": (-1_500_000_000).to_bytes(4, "big", signed=True).decode("latin-1"), "tags": ["a", "b"]}
    expected = {
        "whole": -(2**63),
        "raw": "\xff\x00",
        "day": -1,
        "clock": 86_399_999_999,
        "instant": 1_709_208_000_000_000,
        "identity": "00000000-0000-0000-0000-000000000007",
        "side": "sell",
        "level": "ERROR",
        "mode": "fast",
        "maybe": None,
        "several": {"eddyline.Leg": leg},
        "nested": {"x": [None, {"eddyline.Leg": leg}]},
        "pair_of_legs": {"first": leg, "second": leg},
    }
    assert {name: found[name] for name in expected} == expected
