"""`eddyline up`."""

from typing import Annotated

import typer

from eddyline.adapters.cli.commands.run import ExecutionOptions, Reloads
from eddyline.adapters.cli.option_groups import option_groups
from eddyline.adapters.cli.options import AddressOptions, FlowSources, StateOptions, TopicOptions, VersionOptions


@option_groups
def up(  # noqa: PLR0913 - the options of a command
    service: Annotated[
        str | None,
        typer.Argument(
            metavar="SERVICE",
            help="The file of the service, or the name of a SERVICE in a module of --flows.",
            show_default="service.toml, if it exists, else the only SERVICE of the modules",
        ),
    ] = None,
    *,
    available_now: Annotated[
        bool,
        typer.Option(
            "--available-now", help="Stop at the end offsets that the topics of each flow have when those upstream have ended."
        ),
    ] = False,
    serve: Annotated[
        bool | None,
        typer.Option(
            "--serve/--no-serve",
            help="Answer queries of the state of all flows over HTTP meanwhile, and show it on a page.",
            show_default="unless with --available-now",
        ),
    ] = None,
    reload: Reloads = False,
    execution: ExecutionOptions,
    address: AddressOptions,
    topics: TopicOptions,
    version: VersionOptions,
    state: StateOptions,
    sources: FlowSources,
) -> None:
    """Run the flows of a service in one process.

    The flows have one server, one page and one log. One that fails does not stop the others: it is restarted, after 1 s at first
    and up to 60 s later, and is shown as restarting with the reason. SIGINT (Ctrl+C) or SIGTERM stops them, those first whose
    results others read. With --available-now, none is restarted, and the exit code is 1 if one has failed.

    With --reload, the flows go on with their state and with the new code when their modules or the file of the service change.

    Options override the settings of the service and of its flows.
    """
    from eddyline.adapters.cli.assignments import parse_assignments
    from eddyline.adapters.cli.reloading import Reload, with_reload
    from eddyline.adapters.cli.running import check_effective
    from eddyline.adapters.cli.service_file import file_of, find_service
    from eddyline.adapters.cli.service_run import ServiceRun
    from eddyline.adapters.settings import settings_file

    def start(reloading: Reload | None) -> None:
        found, modules = find_service(service, sources.modules or (), sources.config)
        requests = sources.requests(found, execution, topics, version, state, address, modules=modules)
        given = {*execution.given(), *parse_assignments(sources.assignments or ())}
        served = serve if serve is not None else not available_now
        check_effective([request.settings.engine for request in requests], given, address.given(), serve=served)
        run = ServiceRun(found.name, requests, found.alerts, available_now=available_now, serve=serve, reload=reloading)
        if reloading is not None:
            reloading.loaded(requests)
        run.run()

    file = file_of(service)
    files = [settings_file(sources.config), *([] if file is None else [file])]
    with_reload(start, files, wanted=reload, available_now=available_now)
