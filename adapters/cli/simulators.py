"""Commands made of simulations: an option for each setting of a simulation, and those that all of them have."""

import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from eddyline.adapters.cli.options import (
    Assignments,
    Brokers,
    Config,
    DataDir,
    LogKind,
    SchemaRegistry,
    load_settings,
    log_flags,
    parse_assignments,
)
from eddyline.adapters.cli.playing import play_events
from eddyline.adapters.cli.screen import stderr
from eddyline.adapters.container import Container
from eddyline.application.samples.simulation import Simulator

_Rate = Annotated[float | None, typer.Option(min=0.001, help="Events a second; as fast as they can be made where not given.")]

_SHARED: dict[str, Any] = {
    "rate": _Rate,
    "log": LogKind,
    "bootstrap_servers": Brokers,
    "schema_registry": SchemaRegistry,
    "data_dir": DataDir,
    "assignments": Assignments,
    "config": Config,
}


def simulation_command(simulator: Simulator) -> Callable[..., None]:
    """A function that plays the simulation into its topics; typer reads its options from its signature."""

    def command(
        *,
        rate: float | None,
        log: str | None,
        bootstrap_servers: str | None,
        schema_registry: str | None,
        data_dir: Path | None,
        assignments: Sequence[str] | None,
        config: Path | None,
        **settings: Any,
    ) -> None:
        places = log_flags(log, bootstrap_servers, schema_registry)
        loaded = load_settings(parse_assignments(assignments or ()), config, data_dir=data_dir, **places)
        events = simulator.generate(**settings)
        written = play_events(Container(settings=loaded), events, simulator.topics, flow=simulator.name, rate=rate)
        topics = ", ".join(f"'{topic}'" for topic in simulator.topics)
        stderr().print(f"{written:,} events are in {topics}", soft_wrap=True)

    own = {
        setting.name: (Annotated[setting.type, typer.Option(help=setting.meaning)], setting.default)
        for setting in simulator.settings.values()
    }
    shared = {name: (hint, None) for name, hint in _SHARED.items()}
    parameters = {
        name: inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)
        for name, (hint, default) in (own | shared).items()
    }
    command.__signature__ = inspect.Signature(list(parameters.values()))  # type: ignore[attr-defined] # functions take attributes
    command.__annotations__ = {name: parameter.annotation for name, parameter in parameters.items()}
    return command


def simulation_help(simulator: Simulator) -> str:
    """What the command says of itself."""
    return f"{simulator.summary} Input for the flow {simulator.name}."
