"""Codecs whose schemas live in a registry, for the suite that every codec passes: name, codec, values, bytes that are none."""

from typing import Any
from uuid import UUID

from hypothesis import strategies as st

from eddyline.adapters.avro.format import AvroFormats
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.registry.client import Registry, StoredSchema
from eddyline.adapters.registry.codecs import RegistryCodecs
from eddyline.adapters.registry.errors import UnknownSchemaError
from eddyline.adapters.registry.json_schema import JsonSchemaFormats
from eddyline.adapters.registry.settings import RegistrySettings
from eddyline.adapters.registry.wire import SchemaPointer
from tests.adapters.avro.models import Everything, Node, Trade
from tests.adapters.avro.test_round_trip import everything, jsons

_STORED: dict[int, StoredSchema] = {}


class RegistryInMemory(Registry):
    """A registry of this process alone."""

    def __init__(self, settings: RegistrySettings | None = None) -> None:
        super().__init__(settings or RegistrySettings.from_properties({"url": "http://in.memory"}))

    def schema_at(self, pointer: SchemaPointer) -> StoredSchema:
        if isinstance(pointer.schema, str) or pointer.schema not in _STORED:
            raise UnknownSchemaError(f"{pointer} is unknown")
        return _STORED[pointer.schema]

    def register(self, subject: str, kind: str, text: str) -> int:
        del subject
        stored = StoredSchema(kind, text)
        known = {found: schema_id for schema_id, found in _STORED.items()}
        schema_id = known.setdefault(stored, len(_STORED) + 1)
        _STORED[schema_id] = stored
        return schema_id


AVRO = RegistryCodecs(RegistryInMemory(), AvroFormats())
_JSON = RegistryCodecs(RegistryInMemory(), JsonSchemaFormats(JsonCodecs(), lambda hint: {"title": str(hint)}))
_LONGS = st.integers(-(2**63), 2**63 - 1)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
_TRADES = st.builds(Trade, TEXTS, TEXTS, st.floats(allow_nan=False), _LONGS)

CODEC_CASES: list[tuple[str, Any, st.SearchStrategy[Any], bytes | None]] = [
    ("avro dataclass", lambda: AVRO.for_value("t", Everything), everything, b"\x00\x00\x00\x00"),
    ("avro tree", lambda: AVRO.for_value("t", Node), st.builds(Node, TEXTS), b"{}"),
    ("avro text key", lambda: AVRO.for_key("t", str), TEXTS, b"\x00\x00\x0f\xff\xff\x02"),
    ("avro long key", lambda: AVRO.for_key("t", int), _LONGS, b""),
    ("avro uuid", lambda: AVRO.for_value("t", UUID), st.uuids(), b"\x02"),
    ("avro list", lambda: AVRO.for_value("t", list[Trade]), st.lists(_TRADES), b"[]"),
    ("avro anything", lambda: AVRO.for_value("t", Any), jsons.filter(lambda value: value is not None), b"5"),
    ("json with its schema", lambda: _JSON.for_value("t", Trade), _TRADES, b'{"type": "ASK"}'),
]
