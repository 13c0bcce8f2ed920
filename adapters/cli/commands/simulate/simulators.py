"""Commands for simulators: each has an option for every setting of the simulator, besides those that all of them share."""

from collections.abc import Callable
from dataclasses import dataclass, make_dataclass
from typing import Annotated, TypeAlias

import typer

from eddyline.adapters.cli.commands.simulate.option_names import named_options
from eddyline.adapters.cli.containers import container_for
from eddyline.adapters.cli.option_groups import OptionGroup, option_groups
from eddyline.adapters.cli.options import SettingSources, TopicOptions
from eddyline.adapters.cli.screen import counted, message
from eddyline.adapters.cli.simulation import LIVE_HELP, check_live, write_events
from eddyline.adapters.cli.times import parse_time, utc_time
from eddyline.application.samples.simulation import Simulator

_Start: TypeAlias = Annotated[str, typer.Option("--start", metavar="TIME", help="Start at this time.")]


@dataclass(frozen=True)
class PaceOptions(OptionGroup):
    """Options for the rate of events."""

    rate: Annotated[
        float | None, typer.Option(min=0.001, help="Write this many events per second.", show_default="as fast as possible")
    ] = None
    live: Annotated[bool, typer.Option("--live", help=LIVE_HELP)] = False


def simulation_command(simulator: Simulator) -> Callable[..., None]:
    """Return a command that writes the events of a simulator to its topics."""

    def command(*, simulation: OptionGroup, pace: PaceOptions, topics: TopicOptions, sources: SettingSources) -> None:
        container = container_for(sources.settings(topics))
        options = simulation.given()
        if pace.live:
            check_live(rate=pace.rate, start=options.get("start_ms"))
        elif "start_ms" in options:
            options["start_ms"] = parse_time(options["start_ms"], "--start")
        clock = container.clock() if pace.live else None
        with named_options(simulator.settings):
            events = simulator.generate(**options) if clock is None else simulator.live_events(clock.now_ms, **options)
            written = write_events(container, events, simulator.topics, flow=simulator.name, rate=pace.rate, clock=clock)
        topic_names = ", ".join(f"'{topic}'" for topic in simulator.topics)
        message(f"{counted(written, 'event')} written to {topic_names}")

    command.__annotations__["simulation"] = _options(simulator)
    return option_groups(command)


def simulation_help(simulator: Simulator) -> str:
    """Return the help of a simulator's command."""
    return f"Simulate {simulator.summary[0].lower()}{simulator.summary[1:]}\n\nInput for the flow {simulator.name}."


def _options(simulator: Simulator) -> type[OptionGroup]:
    """Return an option group with a field for every setting of a simulator."""
    settings: list[tuple[str, object, object]] = [
        (setting.name, Annotated[setting.type, typer.Option(help=setting.meaning)], setting.default)
        if setting.name != "start_ms"
        else (setting.name, _Start, utc_time(setting.default))
        for setting in simulator.settings.values()
    ]
    return make_dataclass("SimulationOptions", settings, bases=(OptionGroup,), frozen=True, namespace={"only_given": True})
