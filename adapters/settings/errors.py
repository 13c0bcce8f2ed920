"""Errors in settings, each one line: what is wrong, where the setting comes from, and the valid choices."""

import difflib
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ValidationError

from eddyline.adapters.avro.errors import AvroOptionError
from eddyline.adapters.codecs.installed import InstalledCodecError
from eddyline.adapters.kafka.errors import KafkaSettingsError
from eddyline.adapters.kafka.settings.names import COMMON, CONSUMER, PRODUCER
from eddyline.adapters.registry.errors import RegistrySettingError
from eddyline.adapters.settings.model import dotted, is_secret
from eddyline.adapters.smtp.settings import SmtpSettingsError
from eddyline.adapters.spark.settings import SparkSettingError

_REASONS = {
    "bool_parsing": "must be true or false",
    "float_parsing": "must be a number",
    "int_from_float": "must be an integer",
    "int_parsing": "must be an integer",
    "int_type": "must be an integer",
    "string_type": "must be a string",
    "path_type": "must be a path",
}
"""Plain reasons for errors that pydantic describes in the terms of Python."""


class SettingsError(ValueError):
    """A setting is unknown or has an invalid value, or the settings file cannot be read."""


SETTINGS_ERRORS = (
    SettingsError,
    AvroOptionError,
    InstalledCodecError,
    KafkaSettingsError,
    RegistrySettingError,
    SmtpSettingsError,
    SparkSettingError,
)
"""The errors in settings, those that only an adapter can find included."""


def unknown_setting(name: str, origin: str, known: Sequence[str], of_flow: Sequence[str] = ()) -> SettingsError:
    """Return the error for a setting that does not exist, with the nearest name.

    Args:
        name: The unknown name.
        origin: Where it was given.
        known: The names of the settings of Eddyline and of the flow.
        of_flow: The names of the flow's settings, which are listed if no name is near.
    """
    of_kafka = sorted(COMMON | CONSUMER | PRODUCER)
    plain = name.replace("_", ".")
    near = difflib.get_close_matches(plain, known, n=1) or difflib.get_close_matches(plain, of_kafka, n=1, cutoff=0.8)
    if near:
        choices = f"did you mean '{near[0]}'?"
    else:
        flow = f"one of the flow: {', '.join(of_flow)}, or " if of_flow else ""
        choices = f"choose {flow}one of Eddyline or of the Kafka clients (page 'Settings' of the documentation)"
    return SettingsError(f"unknown setting '{name}' (from {origin}); {choices}")


def invalid_value(model: type[BaseModel], invalid: ValidationError, origins: Mapping[str, str]) -> SettingsError:
    """Return the error for the first value that the model refuses; `origins` maps dotted names to where values come from."""
    error = invalid.errors(include_url=False)[0]
    field, *inner = (str(part) for part in error["loc"])
    name = ".".join([dotted(field), *filter(None, inner)])
    value = "" if is_secret(model, field) else f" '{error['input']}'"
    return SettingsError(f"invalid value{value} for setting '{name}' (from {origins.get(name, dotted(field))}): {_reason(error)}")


def invalid_input(error: BaseException | None) -> tuple[str, str] | None:
    """Return the value that pydantic has refused and the reason, None if the error is not one of pydantic."""
    if not isinstance(error, ValidationError):
        return None
    first = error.errors(include_url=False)[0]
    return str(first["input"]), _reason(first)


def _reason(error: Mapping[str, Any]) -> str:
    if error["type"] == "literal_error":
        return f"choose one of: {error['ctx']['expected'].replace(' or ', ', ')}"
    message: str = error["msg"].removeprefix("Value error, ").removesuffix(".").replace("Input should be", "must be")
    if message.startswith(f"'{error['input']}' is not one of "):
        return f"choose one of: {message.partition(' is not one of ')[2]}"
    return _REASONS.get(error["type"], f"{message[0].lower()}{message[1:]}")
