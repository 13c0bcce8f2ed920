"""The JSON Schema of a Python type."""

import json
from collections.abc import Mapping
from typing import Any

from eddyline.adapters.json.typed import TypedJsonCodec

_DEFINITIONS = "#/$defs/"


def json_schema_of(hint: Any) -> Mapping[str, Any]:
    """Return the JSON Schema of encoded values of a type; the title of a dataclass is its name.

    Raises:
        JsonTypeError: JSON cannot represent the type.
    """
    schema = dict(TypedJsonCodec(hint).schema())
    definitions = schema.pop("$defs", {})
    branches = schema.get("anyOf", ())
    others = [branch for branch in branches if branch != {"type": "null"}]
    root = dict(others[0] if len(others) == 1 else schema)
    reference = root.get("$ref", "")
    if reference and reference not in json.dumps(definitions):
        root = definitions.pop(reference.removeprefix(_DEFINITIONS))
    return {**root, **({"$defs": definitions} if definitions else {})}
