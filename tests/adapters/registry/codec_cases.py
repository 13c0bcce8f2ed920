"""Codecs with registered schemas for the conformance tests of codecs: name, codec, values, and bytes that are no value."""

from typing import Any
from uuid import UUID

from hypothesis import strategies as st

from eddyline.adapters.avro.format import AvroFormats
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.protobuf.format import ProtobufFormats
from eddyline.adapters.registry.codecs import RegistryCodecs
from eddyline.adapters.registry.json_schema import JsonSchemaFormats
from tests.adapters.avro.models import Everything, Node, Trade
from tests.adapters.avro.strategies import EVERYTHING, JSON_VALUES, LONGS
from tests.adapters.protobuf.models import EVERYTHING as ALL_OF_PROTOBUF
from tests.adapters.protobuf.models import Everything as AllOfProtobuf
from tests.adapters.registry.in_memory import InMemorySchemaRegistry

AVRO = RegistryCodecs(InMemorySchemaRegistry(), AvroFormats())
_JSON = RegistryCodecs(InMemorySchemaRegistry(), JsonSchemaFormats(JsonCodecs(), lambda hint, _names: {"title": str(hint)}))
_PROTOBUF = RegistryCodecs(InMemorySchemaRegistry(), ProtobufFormats())
STRINGS = st.text(st.characters(exclude_categories=["Cs"]))
_TRADES = st.builds(Trade, STRINGS, STRINGS, st.floats(allow_nan=False), LONGS)

CODEC_CASES: list[tuple[str, Any, st.SearchStrategy[Any], bytes | None]] = [
    ("avro dataclass", lambda: AVRO.for_value("t", Everything), EVERYTHING, b"\x00\x00\x00\x00"),
    ("avro recursive record", lambda: AVRO.for_value("t", Node), st.builds(Node, STRINGS), b"{}"),
    ("avro string key", lambda: AVRO.for_key("t", str), STRINGS, b"\x00\x00\x0f\xff\xff\x02"),
    ("avro long key", lambda: AVRO.for_key("t", int), LONGS, b""),
    ("avro uuid", lambda: AVRO.for_value("t", UUID), st.uuids(), b"\x02"),
    ("avro list", lambda: AVRO.for_value("t", list[Trade]), st.lists(_TRADES), b"[]"),
    ("avro untyped", lambda: AVRO.for_value("t", Any), JSON_VALUES.filter(lambda value: value is not None), b"5"),
    ("protobuf", lambda: _PROTOBUF.for_value("t", AllOfProtobuf), ALL_OF_PROTOBUF, b"\x00\x00\x00\x00\x01"),
    ("json-schema", lambda: _JSON.for_value("t", Trade), _TRADES, b'{"type": "ASK"}'),
]
