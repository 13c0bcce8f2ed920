"""A schema registry in memory. `test_registries.py` verifies that it does what a real one does."""

from typing import Final

from eddyline.adapters.avro.format import AvroFormat
from eddyline.adapters.registry.client import RegisteredSchema, SchemaRegistry
from eddyline.adapters.registry.errors import SchemaRefusedError, UnknownSchemaError
from eddyline.adapters.registry.settings import RegistrySettings
from eddyline.adapters.registry.wire_format import SchemaId

_SCHEMAS: Final[dict[int, RegisteredSchema]] = {}
_SUBJECTS: Final[dict[str, list[int]]] = {}
_LEVELS: Final[dict[str, str]] = {}
_TYPES: Final[dict[str, type]] = {}


class InMemorySchemaRegistry(SchemaRegistry):
    """All instances in this process share their subjects and schemas.

    A level of compatibility applies to Avro schemas of types that were given to `judge`.
    """

    def __init__(self, settings: RegistrySettings | None = None) -> None:
        super().__init__(settings or RegistrySettings.from_properties({"url": "http://in.memory"}))

    def get_schema(self, schema_id: SchemaId) -> RegisteredSchema:
        if isinstance(schema_id.value, str) or schema_id.value not in _SCHEMAS:
            raise UnknownSchemaError(f"{schema_id} is unknown to the schema registry")
        return _SCHEMAS[schema_id.value]

    def get_latest_schema(self, subject: str) -> RegisteredSchema | None:
        latest = self.get_latest_schema_id(subject)
        return None if latest is None else _SCHEMAS[latest]

    def get_latest_schema_id(self, subject: str) -> int | None:
        return _SUBJECTS[subject][-1] if subject in _SUBJECTS else None

    def register_schema(self, subject: str, schema_type: str, text: str) -> int:
        schema = RegisteredSchema(schema_type, text)
        versions = _SUBJECTS.setdefault(subject, [])
        known = next((number for number in versions if _SCHEMAS[number] == schema), None)
        if known is not None:
            return known
        earlier = [_SCHEMAS[number].text for number in versions]
        if not _accepts(_LEVELS.get(subject, "NONE"), text, earlier):
            raise SchemaRefusedError(f"subject '{subject}' refuses the schema: incompatible with an earlier one")
        ids = {registered: schema_id for schema_id, registered in _SCHEMAS.items()}
        schema_id = ids.setdefault(schema, len(_SCHEMAS) + 1)
        _SCHEMAS[schema_id] = schema
        versions.append(schema_id)
        return schema_id

    def lookup_schema(self, subject: str, schema_type: str, text: str) -> int:
        schema = RegisteredSchema(schema_type, text)
        for schema_id in _SUBJECTS.get(subject, ()):
            if _SCHEMAS[schema_id] == schema:
                return schema_id
        raise SchemaRefusedError(f"subject '{subject}' does not have the schema and auto.register.schemas is false")

    @staticmethod
    def judge(*types: type) -> None:
        """Let the compatibility of the schemas of these types be judged."""
        _TYPES.update((AvroFormat(each).schema_text, each) for each in types)

    @staticmethod
    def set_level(subject: str, level: str) -> None:
        """Set the level of compatibility of a subject."""
        _LEVELS[subject] = level


def _accepts(level: str, schema: str, earlier: list[str]) -> bool:
    """Return whether a schema may follow these at a level of compatibility."""
    compared = earlier if level.endswith("_TRANSITIVE") else earlier[-1:]
    reads_old = level.startswith(("BACKWARD", "FULL"))
    is_read = level.startswith(("FORWARD", "FULL"))
    return all((not reads_old or _reads(schema, old)) and (not is_read or _reads(old, schema)) for old in compared)


def _reads(reader: str, writer: str) -> bool:
    return AvroFormat(_TYPES[reader]).incompatibilities(writer) == ()
