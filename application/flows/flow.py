"""A flow: a function that says a topology, with its settings as keyword arguments."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from eddyline.application.topology import Topology, TopologyBuilder
from eddyline.application.topology.errors import listed


class FlowSettingError(ValueError):
    """A setting does not fit the flow; the message names it, the choices and the cure."""


@dataclass(frozen=True)
class Setting:
    """A setting of a flow: its name, its type as annotated and its default."""

    name: str
    type: Any
    default: Any


@dataclass(frozen=True)
class Flow:
    """A topology by name. `define` takes a builder, and the settings as keyword-only arguments with defaults."""

    name: str
    summary: str
    define: Callable[..., None]

    @cached_property
    def settings(self) -> Mapping[str, Setting]:
        """The settings that `define` takes, by name."""
        hints = get_type_hints(self.define)
        return {
            name: Setting(name, hints.get(name, Any), parameter.default)
            for name, parameter in inspect.signature(self.define).parameters.items()
            if parameter.kind is inspect.Parameter.KEYWORD_ONLY
        }

    def topology(self, **settings: Any) -> Topology:
        """The topology with these settings.

        Raises FlowSettingError for a setting that the flow does not have or whose value is of another type, and TopologyError
        where the topology cannot be built with it.
        """
        for name, value in settings.items():
            self._check(name, value)
        builder = TopologyBuilder()
        self.define(builder, **settings)
        return builder.build()

    def _check(self, name: str, value: Any) -> None:
        setting = self.settings.get(name)
        if setting is None:
            msg = f"flow '{self.name}' has no setting '{name}'; it has: {listed(self.settings)}"
            raise FlowSettingError(msg)
        if not _fits(value, setting.type):
            wanted = getattr(setting.type, "__name__", str(setting.type)) if not get_args(setting.type) else str(setting.type)
            msg = f"setting '{name}' of flow '{self.name}' takes {wanted}, not {value!r} of type {type(value).__name__}"
            raise FlowSettingError(msg)


def _fits(value: Any, wanted: Any) -> bool:
    """Whether a value is of an annotated type; types that cannot be told at run time take everything."""
    origin, arguments = get_origin(wanted), get_args(wanted)
    if origin is None:
        return _is_instance(value, wanted)
    if origin is Literal:
        return value in arguments
    if origin in (Union, UnionType):
        return any(_fits(value, argument) for argument in arguments)
    if origin is Sequence or (isinstance(origin, type) and issubclass(origin, list | tuple | set | frozenset)):
        elements = [argument for argument in arguments if argument is not Ellipsis]
        return isinstance(value, list | tuple) and all(_fits(item, elements[0]) for item in value)
    return isinstance(value, origin) if isinstance(origin, type) else True


def _is_instance(value: Any, wanted: Any) -> bool:
    if wanted is type(None) or wanted is None:
        return value is None
    if isinstance(value, bool):
        return wanted in (bool, Any, object)
    if not isinstance(wanted, type):
        return True
    return isinstance(value, (int, float) if wanted is float else wanted)
