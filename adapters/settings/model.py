"""The names and types of a settings model's fields: a dot in the name of a setting is an underscore in the name of its field."""

from typing import Any, get_origin

from pydantic import BaseModel, SecretStr


def setting_names(model: type[BaseModel]) -> list[str]:
    """Return the dotted names of all settings, sorted; a table of settings is shown as `name.…`."""
    return sorted(f"{dotted(field)}.…" if is_table(model, field) else dotted(field) for field in model.model_fields)


def dotted(field: str) -> str:
    """Return the name of a field's setting."""
    return field.replace("_", ".")


def is_table(model: type[BaseModel], field: str) -> bool:
    """Return whether a field holds a table of settings, each set as `<field>.<name>`."""
    return get_origin(model.model_fields[field].annotation) is dict


def is_secret(model: type[BaseModel], field: str) -> bool:
    """Return whether the values of a field must not be shown."""
    annotation: Any = model.model_fields[field].annotation
    return SecretStr in {annotation, *getattr(annotation, "__args__", ())}
