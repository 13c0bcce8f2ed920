"""The JSON Schema of a Python type: what its JSON looks like, for others to read."""

import json
from collections.abc import Mapping
from typing import Any

from eddyline.adapters.json.typed import TypedJsonCodec

_DEFINED = "#/$defs/"


def json_schema_of(hint: Any) -> Mapping[str, Any]:
    """The schema of the JSON that values of the type become; a dataclass gives its name as the title.

    Raises JsonTypeError for a type that has no JSON.
    """
    schema = dict(TypedJsonCodec(hint).schema())
    defined = schema.pop("$defs", {})
    found = next((choice for choice in schema.get("anyOf", ()) if choice != {"type": "null"}), schema)
    single = len(schema.get("anyOf", ())) == 2  # noqa: PLR2004 - the type, or nothing
    own = dict(found if single else schema)
    reference = own.get("$ref", "")
    if reference and reference not in json.dumps(defined):
        own = defined.pop(reference.removeprefix(_DEFINED))
    return {**own, **({"$defs": defined} if defined else {})}
