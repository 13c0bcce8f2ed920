"""The JSON Schema of a Python type."""

import json
from collections.abc import Mapping
from typing import Any

from eddyline.adapters.json.type_adapter import Shape
from eddyline.adapters.json.typed import TypedJsonCodec
from eddyline.application.topology.types import Names

_DEFINITIONS = "#/$defs/"


def json_schema_of(hint: Any, names: Names = "as-declared") -> Mapping[str, Any]:
    """Return the JSON Schema of encoded values of a type, with these names of fields; the title of a dataclass is its name.

    Raises:
        JsonTypeError: JSON cannot represent the type.
    """
    schema = dict(TypedJsonCodec(hint, Shape(names)).schema())
    definitions = schema.pop("$defs", {})
    branches = schema.get("anyOf", ())
    others = [branch for branch in branches if branch != {"type": "null"}]
    root = dict(others[0] if len(others) == 1 else schema)
    reference = root.get("$ref", "")
    if reference and reference not in json.dumps(definitions):
        root = definitions.pop(reference.removeprefix(_DEFINITIONS))
    return {**root, **({"$defs": definitions} if definitions else {})}
