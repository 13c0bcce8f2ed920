"""The schemas of a document: each once, under a name, with references that are valid in the document."""

import re
from collections.abc import Mapping
from typing import Any, Final

from eddyline.adapters.asyncapi.contents import Content

_DEFINITIONS: Final = "#/$defs/"
_NAMELESS: Final = re.compile(r"[^\w.-]+")
_SCHEMAS: Final = frozenset({"additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then"})
_LISTS: Final = frozenset({"allOf", "anyOf", "oneOf", "items", "prefixItems"})
_NAMED: Final = frozenset({"patternProperties", "properties"})


class Components:
    """The schemas that the messages of a document share."""

    def __init__(self) -> None:
        self.schemas: dict[str, Any] = {}

    def reference(self, content: Content, name: str) -> Mapping[str, Any]:
        """Return the schema of a content for a message: a reference, or the schema itself if it is a short one of JSON.

        Args:
            content: The content.
            name: The name of a schema without a title.
        """
        if content.schema_format is not None:
            named = content.schema if isinstance(content.schema, dict) else {}
            return self._add(named.get("name", name), {"schemaFormat": content.schema_format, "schema": content.schema})
        schema = dict(content.schema)
        definitions = schema.pop("$defs", {})
        names = self._add_definitions(definitions)
        adapted = _adapted(schema, names)
        return self._add(schema["title"], adapted) if "title" in schema else adapted

    def key_schema(self, content: Content) -> Mapping[str, Any]:
        """Return the schema of keys for the binding of a message.

        The JSON Schema of the bindings accepts JSON Schemas of keys alone, and no reference: another schema is in an extension
        of the document, and a reference in `allOf`.
        """
        if content.schema_format is not None:
            kind = "Protobuf" if "protobuf" in content.schema_format else "Avro"
            extension = f"x-{kind.lower()}-schema"
            return {"description": f"Encoded with the {kind} schema in {extension}.", extension: content.schema}
        schema = self.reference(content, "")
        return {"allOf": [schema]} if "$ref" in schema else schema

    def _add_definitions(self, definitions: Mapping[str, Any]) -> Mapping[str, str]:
        """Add the definitions of one schema, and return their names in the document.

        Definitions may refer to each other, so they are compared with those of the document under the names that they ask for.
        """
        wanted = {name: _identifier(name) for name in definitions}
        suffix = 1
        while any(
            self.schemas.get(wanted[name], adapted) != adapted
            for name, adapted in ((name, _adapted(schema, wanted)) for name, schema in definitions.items())
        ):
            suffix += 1
            wanted = {name: f"{_identifier(name)}-{suffix}" for name in definitions}
        for name, schema in definitions.items():
            self.schemas[wanted[name]] = _adapted(schema, wanted)
        return wanted

    def _add(self, name: str, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        base = chosen = _identifier(name)
        suffix = 1
        while self.schemas.get(chosen, schema) != schema:
            suffix += 1
            chosen = f"{base}-{suffix}"
        self.schemas[chosen] = schema
        return {"$ref": f"#/components/schemas/{chosen}"}


def _identifier(name: str) -> str:
    return _NAMELESS.sub("_", name).strip("_") or "schema"


def _adapted(schema: Any, names: Mapping[str, str]) -> Any:
    """Return a JSON Schema in the dialect of AsyncAPI, which is that of draft 7, with references to the components.

    `default`, `const`, `enum` and `examples` hold values, not schemas, and stay as they are.
    """
    if not isinstance(schema, dict):
        return schema
    adapted: dict[str, Any] = {}
    for keyword, value in schema.items():
        if keyword == "$ref":
            adapted[keyword] = f"#/components/schemas/{names[value.removeprefix(_DEFINITIONS)]}"
        elif keyword == "discriminator" and isinstance(value, dict):
            adapted[keyword] = value["propertyName"]
        elif keyword in _NAMED:
            adapted[keyword] = {name: _adapted(inner, names) for name, inner in value.items()}
        elif keyword in _LISTS and isinstance(value, list):
            adapted["items" if keyword == "prefixItems" else keyword] = [_adapted(inner, names) for inner in value]
        elif keyword in _SCHEMAS:
            adapted[keyword] = _adapted(value, names)
        else:
            adapted[keyword] = value
    return adapted
