"""Where settings come from: the command line, the environment and a TOML file, in this order of precedence."""

import json
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel

from eddyline.adapters.kafka.settings.names import is_client_setting
from eddyline.adapters.settings.checks import check_text
from eddyline.adapters.settings.errors import SettingsError, unknown_setting
from eddyline.adapters.settings.files import TomlError, check_location, read_toml_file, reason_of
from eddyline.adapters.settings.model import dotted, is_secret, is_table, setting_names

PREFIX = "EDDYLINE_"
"""The prefix of environment variables that are settings; `EDDYLINE_CONFIG` is the path of the settings file."""

DEFAULT_FILE = Path("eddyline.toml")
"""The settings file that is read, if it exists, when no other is given."""

_COMMAND_LINE = "the command line"
_CONFIG = f"{PREFIX}CONFIG"
_NOT_SETTINGS = frozenset({_CONFIG, f"{PREFIX}SERVICES_DIR"})
_KAFKA_CLIENTS = "kafka"
_FLOWS = "flows"
_WITH_DEFAULT = frozenset({"names", "types"})
"""The tables whose own name is a setting, too: the default for the entries that they do not have."""


class Given(NamedTuple):
    """A setting as it was given: its dotted name, its value and where it comes from."""

    name: str
    value: Any
    origin: str


Source = list[Given]


def read_sources(
    command_line: Mapping[str, Any], config: Path | None, service: Sequence[tuple[str, Mapping[str, Any]]] = ()
) -> tuple[Source, ...]:
    """Return the settings of each source, the one with the highest precedence first; `service` is before the settings file.

    Raises:
        SettingsError: the settings file does not exist or is not TOML.
    """
    environment = {name: value for name, value in os.environ.items() if name.startswith(PREFIX) and name not in _NOT_SETTINGS}
    return (
        [Given(name, value, _COMMAND_LINE) for name, value in command_line.items()],
        [Given(name.removeprefix(PREFIX).lower().replace("_", "."), value, name) for name, value in environment.items()],
        *([Given(name, value, origin) for name, value in flattened(found)] for origin, found in service),
        list(_from_file(_named_file(config))),
    )


def settings_file(config: Path | None) -> Path:
    """Return the settings file, which may not exist if it is the default."""
    return _named_file(config) or DEFAULT_FILE


def _named_file(config: Path | None) -> Path | None:
    named = os.environ.get(_CONFIG)
    return config or (Path(named) if named else None)


def flow_modules(config: Path | None) -> list[str]:
    """Return the modules with flows of the setting `flows`, which is a string or a list, from the environment or the file."""
    for source in read_sources({}, config):
        for given in source:
            if given.name == _FLOWS and _names_modules(given.value):
                return [given.value] if isinstance(given.value, str) else list(given.value)
    return []


def by_field(model: type[BaseModel], source: Iterable[Given], other_names: Collection[str]) -> dict[str, Any]:
    """Return the values of a source by the model's fields, those of tables as dictionaries.

    Args:
        model: The settings model.
        source: The settings of one source.
        other_names: Names that the caller accepts besides settings, offered when a name is unknown.

    Raises:
        SettingsError: a setting is unknown, or a table has a value that is not one.
    """
    values: dict[str, Any] = {}
    tables = [field for field in model.model_fields if is_table(model, field)]
    for name, value, origin in source:
        _check_location(name, value, origin)
        field = name.replace(".", "_")
        if name == _FLOWS and _names_modules(value):
            continue  # read by flow_modules, before the settings of flows are known
        table = next((table for table in tables if name.startswith(f"{dotted(table)}.")), None)
        if table:
            values.setdefault(table, {})[name.removeprefix(f"{dotted(table)}.")] = _entry(model, table, value)
        elif field in _WITH_DEFAULT and not str(value).lstrip().startswith("{"):
            values.setdefault(field, {})[""] = value
        elif field in tables:
            entries = _parse_table(name, value, origin).items()
            values.setdefault(field, {}).update({inner: _entry(model, field, found) for inner, found in entries})
        elif field in model.model_fields and "_" not in name:
            values[field] = _checked(model, field, value, origin)
        elif is_client_setting(name):
            values.setdefault(_KAFKA_CLIENTS, {})[name] = _entry(model, _KAFKA_CLIENTS, value)
        else:
            raise unknown_setting(name, origin, [*other_names, *setting_names(model)], tuple(other_names))
    return values


def _from_file(file: Path | None) -> Iterator[Given]:
    path = file or DEFAULT_FILE
    try:
        content = read_toml_file(path)
    except FileNotFoundError:
        if file:
            raise SettingsError(
                f"settings file '{file}' does not exist; give the path of a TOML file with --config or {_CONFIG}"
            ) from None
        return
    except OSError as unreadable:
        reason = reason_of(unreadable)
        raise SettingsError(
            f"cannot read settings file '{path}': {reason}; give the path of a TOML file with --config or {_CONFIG}"
        ) from None
    except TomlError as unreadable:
        raise SettingsError(f"cannot read settings file '{path}' as TOML: {unreadable}") from None
    yield from (Given(name, value, str(path)) for name, value in flattened(content))


def flattened(table: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Return the values with dotted names; tables may be nested to any depth, as dotted names in TOML are."""
    waiting = [(name, table[name]) for name in reversed(list(table))]
    while waiting:
        name, value = waiting.pop()
        if isinstance(value, dict):
            waiting += ((f"{name}.{inner}", value[inner]) for inner in reversed(value))
        else:
            yield name, value


def _entry(model: type[BaseModel], table: str, value: object) -> object:
    """Return the value of a table's entry; TOML numbers and booleans become text if the table holds text."""
    if not is_secret(model, table) or not isinstance(value, bool | int | float):
        return value
    return str(value).lower() if isinstance(value, bool) else str(value)


def _checked(model: type[BaseModel], field: str, value: object, origin: str) -> object:
    """Return the value of a setting. Raises SettingsError if it is a text that no setting can have."""
    try:
        check_text(value, model.model_fields[field].default)
    except ValueError as refused:
        shown = "" if is_secret(model, field) else f" {str(value)!r}"
        raise SettingsError(f"invalid value{shown} for setting '{dotted(field)}' (from {origin}): {refused}") from None
    return value


def _check_location(name: str, value: object, origin: str) -> None:
    try:
        check_location(name, value)
    except ValueError as refused:
        raise SettingsError(f"invalid value '{value}' for setting '{name}' (from {origin}): {refused}") from None


def _names_modules(value: object) -> bool:
    """Return whether a value of the setting `flows` names modules; else it is the table of the flows' settings."""
    if isinstance(value, str):
        return not value.lstrip().startswith("{")
    return isinstance(value, list) and all(isinstance(module, str) for module in value)


def _parse_table(name: str, value: object, origin: str) -> dict[str, Any]:
    try:
        table = json.loads(str(value))
    except (ValueError, RecursionError):
        table = None
    if not isinstance(table, dict):
        raise SettingsError(
            f"setting '{name}' (from {origin}) is a table; set single entries as {name}.<name>=<value>, or give a JSON object"
        )
    return dict(flattened(table))
