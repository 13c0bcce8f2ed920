"""`eddyline run`."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from eddyline.adapters.cli.option_groups import OptionGroup, SettingOptions, option_groups
from eddyline.adapters.cli.options import AddressOptions, ApplicationOptions, FlowSources, StateOptions, TopicOptions

if TYPE_CHECKING:
    from eddyline.adapters.cli.reloading import Reload


@dataclass(frozen=True)
class ExecutionOptions(SettingOptions):
    """Options for the execution of a flow."""

    engine: Annotated[
        Literal["spark", "local", "memory"] | None, typer.Option("--engine", help="Run the flow on this engine. Setting: engine.")
    ] = None
    spark_master: Annotated[
        str | None,
        typer.Option(
            "--master",
            metavar="URL",
            help="Run on this master: spark://HOST:PORT, yarn, k8s://HOST:PORT or local[N]. Setting: spark.master.",
            show_default="that of spark-submit, else local[*]",
        ),
    ] = None
    package: Annotated[
        Path | None,
        typer.Option(
            "--package",
            metavar="FILE",
            help="Bring the executors this archive, which 'eddyline package' has created. Setting: package.",
            show_default="none",
        ),
    ] = None
    create_topics: Annotated[
        bool | None,
        typer.Option("--create-topics", help="Create missing topics, with num.partitions partitions. Setting: create.topics."),
    ] = None
    emit: Annotated[
        Literal["latest", "every-update"] | None,
        typer.Option(
            "--emit",
            help="Forward the latest update per key and batch, or every update. Setting: emit.",
            show_default="the choice of the flow",
        ),
    ] = None
    order: Annotated[
        Literal["timestamp", "arrival"] | None,
        typer.Option("--order", help="Process the records of a task in this order. Setting: order."),
    ] = None


Reloads: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--reload",
        help="For development: when modules of yours change, go on with the state and the new code, or say why not.",
    ),
]


@dataclass(frozen=True)
class RunningOptions(OptionGroup):
    """How long a flow runs, and whether queries are answered meanwhile."""

    available_now: Annotated[
        bool, typer.Option("--available-now", help="Stop at the end offsets that the topics have when the run starts.")
    ] = False
    serve: Annotated[
        bool | None,
        typer.Option(
            "--serve/--no-serve",
            help="Answer queries of the state over HTTP meanwhile, as 'eddyline serve' does, and show it on a page.",
            show_default="for several flows that run without --available-now",
        ),
    ] = None
    reload: Reloads = False
    restore_from: Annotated[
        Literal["changelog", "checkpoint"] | None,
        typer.Option(
            "--restore-from",
            help="Begin with the state that the engine local has left in changelogs, or the engine spark in its checkpoint.",
            show_default="the state that the same engine has left",
        ),
    ] = None


@option_groups
def run(
    flows: Annotated[list[str], typer.Argument(metavar="FLOW...", help="The flows; 'eddyline flows' lists them.")],
    *,
    running: RunningOptions,
    execution: ExecutionOptions,
    address: AddressOptions,
    topics: TopicOptions,
    application: ApplicationOptions,
    state: StateOptions,
    sources: FlowSources,
) -> None:
    """Run flows on Spark, in this process, or in memory.

    Runs until SIGINT (Ctrl+C) or SIGTERM, or with --available-now to the end of the topics. Signals stop a run on Spark after the
    current batch, which is canceled if it takes 20 s more, and others after the current record; a second one ends it at once. On
    Spark, the next run continues after the last complete batch, also if this one crashes. The engine local does so without Java,
    in one process and within milliseconds. The memory engine keeps no state: each run reads the topics from their beginning, and
    appends its results to those that are there.

    An application belongs to the engine, spark or local, that has run it first: others refuse it.

    Several flows run in one process with one server, as 'eddyline up' runs those of a service.

    With --serve, every store that can be queried gets a changelog, unless the setting changelog.stores names some.
    """
    from eddyline.adapters.cli.errors import UsageError
    from eddyline.adapters.cli.reloading import Reload, with_reload
    from eddyline.adapters.settings import settings_file

    def start(reloading: Reload | None) -> None:
        _start(flows, running, sources, (execution, topics, application, state, address), reloading)

    if running.reload and running.restore_from is not None:
        raise UsageError("--restore-from moves the state once; run the flow with it and --available-now, and then with --reload")
    with_reload(start, [settings_file(sources.config)], wanted=running.reload, available_now=running.available_now)


def _start(
    flows: list[str],
    running: RunningOptions,
    sources: FlowSources,
    options: "tuple[ExecutionOptions, TopicOptions, ApplicationOptions, StateOptions, AddressOptions]",
    reloading: "Reload | None",
) -> None:
    from eddyline.adapters.cli.assignments import parse_assignments
    from eddyline.adapters.cli.running import check_effective, run_flow

    execution, *_, address = options
    given = {*execution.given(), *parse_assignments(sources.assignments or ())}
    if len(flows) == 1:
        request = sources.request(flows[0], *options)
        check_effective([request.settings.engine], given, address.given(), serve=bool(running.serve))
        if reloading is not None:
            reloading.loaded([request])
        run_flow(
            request,
            available_now=running.available_now,
            serve=bool(running.serve),
            restore_from=running.restore_from,
            reload=reloading,
        )
        return
    from eddyline.adapters.cli.errors import UsageError
    from eddyline.adapters.cli.service_run import ServiceRun
    from eddyline.application.flows.service import Service

    if running.restore_from is not None:
        raise UsageError("--restore-from is for one flow; run each with it once, with --available-now, and then all together")
    requests = sources.requests(Service("run", flows=flows), *options)
    check_effective([request.settings.engine for request in requests], given, address.given(), serve=running.serve is not False)
    run = ServiceRun("run", requests, available_now=running.available_now, serve=running.serve, reload=reloading)
    if reloading is not None:
        reloading.loaded(requests)
    run.run()
