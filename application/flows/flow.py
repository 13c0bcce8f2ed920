"""A flow: a function that defines a topology and takes its settings as keyword arguments."""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from functools import cached_property
from pathlib import Path
from types import UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from eddyline.application.flows.alerts import Alert
from eddyline.application.flows.views import View
from eddyline.application.topology import Topology, TopologyBuilder
from eddyline.application.topology.callables import check_result
from eddyline.application.topology.errors import TopologyError, listed, suggested
from eddyline.application.topology.exception_handlers import PROCESSING, PRODUCTION, RESPONSES, ExceptionHandler
from eddyline.application.topology.graph import check_name
from eddyline.application.topology.handles import is_operator
from eddyline.application.topology.nodes import SinkNode
from eddyline.application.topology.types import Emit, Names, Strictness

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


class FlowSettingError(ValueError):
    """A setting is unknown to the flow or has an invalid value; the message names the setting and what is allowed."""


@dataclass(frozen=True)
class Setting:
    """A setting of a flow: its name, its annotated type and its default."""

    name: str
    type: Any
    default: Any


@dataclass(frozen=True)
class Flow:
    """A named topology.

    Args:
        name: The name by which commands find the flow; also the default of `application.id`.
        summary: One sentence about what the flow does, for lists of flows.
        define: Defines the topology with a TopologyBuilder, and takes settings as keyword-only arguments with defaults.
        emit: Which updates of its tables are forwarded, unless the setting `emit` of the user chooses: `every-update`, which is
            the default, or `latest`, the last one per key and batch.
        processing_exception_handler: How to respond to exceptions in functions and processors of the flow, and in stores:
            `fail`, `continue`, `dead-letter`, or a function that takes the context and the exception and returns one of these.
            The setting `processing.exception.handler` takes precedence.
        production_exception_handler: How to respond to exceptions while results are encoded, and in partitioners. The setting
            `production.exception.handler` takes precedence.
        names: What the fields of types are called in the topics of the flow: `as-declared`, which is the default, or
            `camelCase`; or the choice for some topics, by topic. The settings `names` and `names.<topic>` take precedence, and
            so does the choice of a class.
        types: Whether a value must be of the type of its field (`strict`, which is the default) or may be converted to it
            (`lax`); or the choice for some topics, by topic. The settings `types` and `types.<topic>` take precedence.
        context: The part of the business that it belongs to, such as `trading`; pages show the flows of a context together.
        views: What the page of a query server shows of its state and results; see `ChartView`, `TableView` and `FeedView`.
        alerts: Which of the records that it writes people are notified of; see `Alert`.

    Raises:
        FlowSettingError: A name or choice is invalid, or `define` has a parameter that is neither the builder
            nor a setting.
    """

    name: str
    summary: str
    define: Callable[..., None]
    emit: Emit | None = None
    processing_exception_handler: ExceptionHandler = "fail"
    production_exception_handler: ExceptionHandler = "fail"
    names: Names | Mapping[str, Names] | None = None
    types: Strictness | Mapping[str, Strictness] | None = None
    views: Sequence[View] = field(default=(), repr=False, compare=False)
    context: str = field(default="", repr=False, compare=False, kw_only=True)
    alerts: Sequence[Alert] = field(default=(), repr=False, compare=False)

    def __post_init__(self) -> None:
        with _as_setting_errors():
            check_name(self.name, "flow")
        for setting, handler in (
            (PROCESSING, self.processing_exception_handler),
            (PRODUCTION, self.production_exception_handler),
        ):
            if handler not in RESPONSES and not callable(handler):
                choices = ", ".join(map(repr, RESPONSES))
                msg = f"{setting} of flow '{self.name}' is {handler!r}; choose one of: {choices}, or pass a function"
                raise FlowSettingError(msg)
            with _as_setting_errors():
                check_result(f"{setting} of flow '{self.name}'", handler)
        if self.emit is not None and self.emit not in get_args(Emit):
            msg = f"emit of flow '{self.name}' is {self.emit!r}; choose one of: {', '.join(map(repr, get_args(Emit)))}"
            raise FlowSettingError(msg)
        for name, choice in self._type_choices().items():
            allowed = get_args(Names if name.partition(".")[0] == "names" else Strictness)
            if choice not in allowed:
                msg = f"{name} of flow '{self.name}' is {choice!r}; choose one of: {', '.join(map(repr, allowed))}"
                raise FlowSettingError(msg)
        define: object = self.define
        if not callable(define):
            msg = f"flow '{self.name}' is defined by {define!r}; pass a function that takes a TopologyBuilder"
            raise FlowSettingError(msg)
        with _as_setting_errors():
            check_result(f"the function of flow '{self.name}'", define)
        _check_parameters(self.name, self.define)

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
        """Build the topology with these settings; all others have their defaults.

        Args:
            settings: Values for keyword-only arguments of `define`, by name.

        Raises:
            FlowSettingError: The flow has no such setting, a value is not of the setting's type, or a setting without a default
                is missing.
            TopologyError: The topology is invalid with these settings.
        """
        for name, value in settings.items():
            self._check(name, value)
        for name, setting in self.settings.items():
            if setting.default is inspect.Parameter.empty and name not in settings:
                msg = f"setting '{name}' of flow '{self.name}' has no default; pass a value for it"
                raise FlowSettingError(msg)
        builder = TopologyBuilder()
        try:
            self.define(builder, **settings)
        except AttributeError as error:
            if error.obj is None and is_operator(error.name or ""):
                msg = (
                    f"flow '{self.name}' calls '{error.name}' on None; a function that should return a stream or a table "
                    "returned nothing: end it with return"
                )
                raise TopologyError(msg) from error
            raise
        topology = replace(builder.build(), emit=self.emit, type_choices=self._type_choices())
        _check_topics(self.name, topology)
        _check_alerts(self.name, self.alerts, topology)
        return topology

    def _type_choices(self) -> dict[str, str]:
        """Return what the flow says about names and types, by the name of the setting that takes precedence."""
        found: dict[str, str] = {}
        for name, choice in (("names", self.names), ("types", self.types)):
            if isinstance(choice, Mapping):
                found |= {f"{name}.{topic}": each for topic, each in choice.items()}
            elif choice is not None:
                found[name] = choice
        return found

    def _check(self, name: str, value: Any) -> None:
        setting = self.settings.get(name)
        if setting is None:
            msg = f"flow '{self.name}' has no setting '{name}'; choose one of: {listed(self.settings)}"
            raise FlowSettingError(msg)
        if not _fits(value, setting.type):
            msg = f"invalid value {value!r} for setting '{name}' of flow '{self.name}': {_described(setting.type)}"
            raise FlowSettingError(msg)


@contextmanager
def _as_setting_errors() -> Iterator[None]:
    """Raise errors of topologies as those of settings."""
    try:
        yield
    except TopologyError as error:
        raise FlowSettingError(str(error)) from None


def _check_parameters(flow: str, define: Callable[..., None]) -> None:
    """Make sure that a function takes a builder, and everything else by keyword: other arguments are never passed."""
    try:
        parameters = list(inspect.signature(define).parameters.values())
    except (TypeError, ValueError):
        return  # a function of C, or not a function
    positional = [parameter for parameter in parameters if parameter.kind in _POSITIONAL]
    name = getattr(define, "__name__", repr(define))
    if not positional and not any(parameter.kind is inspect.Parameter.VAR_POSITIONAL for parameter in parameters):
        msg = f"flow '{flow}': function '{name}' must take a TopologyBuilder as its first argument: def {name}(builder)"
        raise FlowSettingError(msg)
    if len(positional) > 1:
        setting = positional[1].name
        msg = (
            f"flow '{flow}': parameter '{setting}' of function '{name}' is not keyword-only, so it is no setting; "
            f"put it after '*': def {name}({positional[0].name}, *, {setting}=…)"
        )
        raise FlowSettingError(msg)


def _check_topics(flow: str, topology: Topology) -> None:
    """Make sure that there are no choices for topics that the topology does not have."""
    if any(isinstance(node, SinkNode) and not isinstance(node.topic, str) for node in topology.nodes):
        return  # records choose the topics
    known = [spec.name for spec in (*topology.source_topics, *topology.sink_topics)]
    for name in topology.type_choices:
        what, _, topic = name.partition(".")
        if topic and topic not in known and topology.source_topic(topic) is None:
            msg = f"{what} of flow '{flow}' has a choice for topic '{topic}', which the flow does not have; "
            raise FlowSettingError(msg + suggested(topic, known, f"choose one of: {listed(known)}"))


def _check_alerts(flow: str, alerts: Sequence[Alert], topology: Topology) -> None:
    """Make sure that alerts are of topics that the topology writes, and have different names."""
    sinks = [node.topic for node in topology.nodes if isinstance(node, SinkNode)]
    known = [topic for topic in sinks if isinstance(topic, str)]
    names = set()
    for alert in alerts:
        if alert.topic not in known and len(known) == len(sinks):
            msg = f"flow '{flow}' has an alert of topic '{alert.topic}', which it does not write; "
            raise FlowSettingError(msg + suggested(alert.topic, known, f"choose one of: {listed(known)}"))
        if alert.name in names:
            msg = f"flow '{flow}' has two alerts '{alert.name}'; give one of them another name: Alert(…, name=…)"
            raise FlowSettingError(msg)
        names.add(alert.name)


def _described(wanted: Any) -> str:
    """Return a type as an error message names it."""
    if get_origin(wanted) is Literal:
        return f"choose one of: {', '.join(map(repr, get_args(wanted)))}"
    form = _form(wanted)
    if form is not None:
        return f"must be {form}"
    return f"must be of type {wanted.__name__ if isinstance(wanted, type) and not get_args(wanted) else wanted}"


_FORMS: Final[Mapping[Any, str]] = {
    bool: "of type bool, written as true or false",
    timedelta: "a duration, written as 500ms, 10m or 1h30m",
    Decimal: "a decimal number, written as 9.99",
    Path: "a path",
    date: "a date, written as 2026-03-01",
    datetime: "a date and time, written as 2026-03-01T12:00:00+00:00",
}


def _form(wanted: Any) -> str | None:
    """Return how values of a type are written, None for types whose names say it."""
    if wanted in _FORMS:
        return _FORMS[wanted]
    if isinstance(wanted, type) and issubclass(wanted, Enum):
        return f"one of: {', '.join(each.name for each in wanted)}"
    arguments = [argument for argument in get_args(wanted) if argument not in (type(None), Ellipsis)]
    form = _form(arguments[0]) if len(arguments) == 1 else None
    if get_origin(wanted) in (Union, UnionType):
        return form
    form = form or ({int: "an int", float: "a float"}.get(arguments[0]) if len(arguments) == 1 else None)
    return form and f"a list, written as a,b,c, of which each is {form}"


def _fits(value: Any, wanted: Any) -> bool:
    """Decide whether a value is of an annotated type; a type that cannot be checked at run time accepts every value."""
    origin, arguments = get_origin(wanted), get_args(wanted)
    if origin is None:
        return _is_instance(value, wanted)
    if origin is Literal:
        return value in arguments
    if origin in (Union, UnionType):
        return any(_fits(value, argument) for argument in arguments)
    if origin is tuple and arguments and Ellipsis not in arguments:
        return isinstance(value, list | tuple) and len(value) == len(arguments) and all(map(_fits, value, arguments))
    if origin is Sequence or (isinstance(origin, type) and issubclass(origin, list | tuple | set | frozenset)):
        element = arguments[0] if arguments else Any
        is_set = origin in (set, frozenset) and isinstance(value, set | frozenset)
        return (is_set or isinstance(value, list | tuple)) and all(_fits(item, element) for item in value)
    return isinstance(value, origin) if isinstance(origin, type) else True


def _is_instance(value: Any, wanted: Any) -> bool:
    if wanted is Any:
        return True
    if wanted is type(None) or wanted is None:
        return value is None
    if isinstance(value, bool):
        return wanted in (bool, object)
    if not isinstance(wanted, type):
        return True
    return isinstance(value, (int, float) if wanted is float else wanted)
