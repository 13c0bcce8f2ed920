"""Option groups: options that several commands share are declared once, as the fields of a dataclass.

A command decorated with `option_groups` takes a group as a parameter. Typer sees the fields of the group as options of the
command, in the place of the parameter.
"""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import MISSING, Field, dataclass, fields
from functools import wraps
from typing import Any, ClassVar, get_type_hints

import typer

from eddyline.adapters.settings import DEFAULT_BOOTSTRAP_SERVERS, Settings

_CONTEXT = "typer_context"
_DEFAULTS = {**dict(Settings()), "bootstrap_servers": DEFAULT_BOOTSTRAP_SERVERS}


@dataclass(frozen=True)
class OptionGroup:
    """Options that a command takes together; the fields are annotated like the parameters of a typer command.

    With `only_given`, the field of an option that was not given is None.
    """

    only_given: ClassVar[bool] = False

    def given(self) -> dict[str, Any]:
        """Return the options that are not None, by the name of the field."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if value is not None}


@dataclass(frozen=True)
class SettingOptions(OptionGroup):
    """Options that override settings; each field has the name of its setting, with underscores for dots.

    Help shows the default of the setting. A field is None if the option was not given, which leaves the choice to the
    environment and the settings file.
    """

    only_given: ClassVar[bool] = True


def option_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Let typer see the fields of each parameter that is an OptionGroup as parameters of their own."""
    hints = get_type_hints(command, include_extras=True)
    hints.pop("return", None)
    groups = {name: hint for name, hint in hints.items() if isinstance(hint, type) and issubclass(hint, OptionGroup)}
    own = inspect.signature(command).parameters
    parameters = [
        parameter
        for name, hint in hints.items()
        for parameter in (_parameters(hint) if name in groups else [_keyword(name, hint, own[name].default)])
    ]

    @wraps(command)
    def expanded(**given: Any) -> None:
        context = given.pop(_CONTEXT)
        for name, group in groups.items():
            given[name] = group(**{field.name: _value(group, field, context, given.pop(field.name)) for field in fields(group)})
        command(**given)

    signature = inspect.Signature([_keyword(_CONTEXT, typer.Context, inspect.Parameter.empty), *parameters])
    expanded.__signature__ = signature  # type: ignore[attr-defined] # functions take attributes
    expanded.__annotations__ = {parameter.name: parameter.annotation for parameter in signature.parameters.values()}
    return expanded


def _parameters(group: type[OptionGroup]) -> Iterator[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    for field in fields(group):
        yield _keyword(field.name, hints[field.name], _default(group, field))


def _keyword(name: str, hint: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)


def _default(group: type[OptionGroup], field: Field[Any]) -> Any:
    """Return the default that help shows."""
    if issubclass(group, SettingOptions):
        return _DEFAULTS.get(field.name)
    return inspect.Parameter.empty if field.default is MISSING else field.default


def _value(group: type[OptionGroup], field: Field[Any], context: typer.Context, value: Any) -> Any:
    """Return the value of an option, None for one that was not given if the group has only those."""
    source = context.get_parameter_source(field.name)
    is_default = source is None or source.name == "DEFAULT"
    return None if group.only_given and is_default else value
