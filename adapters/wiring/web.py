"""The query server and its client, which need the extra `web`."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from eddyline.adapters.settings import Settings, SettingsError
from eddyline.adapters.wiring.extras import extra
from eddyline.adapters.wiring.queries import shared_address
from eddyline.application.monitoring.run_monitor import RunMonitor
from eddyline.application.operations.dead_letter_service import DeadLetterService
from eddyline.application.ports.instance_group import InstanceGroup
from eddyline.application.queries.combined import CombinedQueries
from eddyline.application.queries.hosts import Hosts, SharingHosts, SingleHost
from eddyline.application.queries.state_queries import StateQueries

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from eddyline.adapters.web.client import QueryClient
    from eddyline.adapters.web.options import ServerOptions
    from eddyline.adapters.web.server import QueryServer


def query_server(  # noqa: PLR0913 - each has a default but the first three, and a caller names it
    settings: Settings,
    options: "ServerOptions",
    queries: Mapping[str, tuple[StateQueries, str]],
    runs: Sequence[RunMonitor] = (),
    dead_letters: Sequence[DeadLetterService] = (),
    stop: Callable[[], None] | None = None,
    page: "ASGIApp | None" = None,
    *,
    groups: Sequence[tuple[InstanceGroup, Mapping[str, str]]] = (),
    service: str | None = None,
) -> "QueryServer":
    """Return a server that has bound its address.

    Args:
        settings: The settings.
        options: What `server_options` returns.
        queries: The queries of each store's application, and the name of the store there, by its name on the server.
        runs: The monitors of the runs beside which the server answers, none if there are none.
        dead_letters: The dead letters of each application.
        stop: Lets the runs end after their current batches, and returns at once.
        page: The page for people; None for a server without one.
        groups: The servers that share the partitions of each application, with its stores by changelog topic; none if this
            server holds all partitions.
        service: The name of the service whose flows run, None for the run of one flow.

    Raises:
        MissingExtraError: A library of the extra `web` is not installed.
        ServerError: The address cannot be bound, or the certificate cannot be used.
    """
    with extra("web"):
        from eddyline.adapters.web.operations import Operations
        from eddyline.adapters.web.runs import Runs
        from eddyline.adapters.web.server import QueryServer
    combined = CombinedQueries(queries)
    return QueryServer(
        combined, _hosts(settings, combined, groups), options, Runs(runs, service), Operations(dead_letters, stop), page
    )


def server_options(settings: Settings) -> "ServerOptions":
    """Return the options of the server.

    Raises:
        SettingsError: Settings do not fit together, or access is open to others than this machine.
    """
    with extra("web"):
        from eddyline.adapters.web.options import ServerOptions, is_loopback
        from eddyline.adapters.web.tokens import generated_token
    given = (
        settings.server_token,
        settings.server_username,
        settings.server_password,
        settings.server_operator_token,
        settings.server_operator_username,
        settings.server_operator_password,
    )
    generated = (
        settings.server_generate_token and not any(value is not None for value in given) and is_loopback(settings.server_host)
    )
    if generated and settings.server_partitions == "shared":
        peer = shared_address(settings)
        if not is_loopback(peer.rpartition(":")[0].strip("[]")):
            raise SettingsError(
                f"servers that share the partitions reach this one at '{peer}', from other machines, so they need a token in "
                "common: set server.token (EDDYLINE_SERVER_TOKEN) to the same value for all of them"
            )
    try:
        return ServerOptions(
            host=settings.server_host,
            port=settings.server_port,
            token=_secret(settings.server_token),
            username=settings.server_username,
            password=_secret(settings.server_password),
            operator_token=generated_token() if generated else _secret(settings.server_operator_token),
            generated=generated,
            operator_username=settings.server_operator_username,
            operator_password=_secret(settings.server_operator_password),
            certificate=settings.server_tls_cert_file,
            private_key=settings.server_tls_key_file,
            ca_file=settings.server_tls_ca_file,
            rate_limit=settings.server_rate_limit,
        )
    except ValueError as error:
        raise SettingsError(str(error)) from None


def query_client(settings: Settings) -> "QueryClient":
    """Return a client of the server that the settings name, with their credentials: those of a reader, else of an operator.

    Without any, it sends the token that a server of this user on this machine has generated.

    Raises:
        PrivateFolderError: Someone else could write where the token is.
    """
    with extra("web"):
        from eddyline.adapters.web.client import QueryClient
        from eddyline.adapters.web.tokens import published_token
    token, username, password = settings.server_token, settings.server_username, settings.server_password
    if token is None and username is None:
        token, username, password = (
            settings.server_operator_token,
            settings.server_operator_username,
            settings.server_operator_password,
        )
    login = None if username is None or password is None else (username, password.get_secret_value())
    found = _secret(token)
    if found is None and username is None and settings.server_generate_token:
        found = published_token(settings.server_url)
    return QueryClient(settings.server_url, found, login, settings.server_tls_ca_file)


def _secret(value: "_Secret | None") -> str | None:
    return None if value is None else value.get_secret_value()


class _Secret(Protocol):
    def get_secret_value(self) -> str: ...


def _hosts(
    settings: Settings, queries: StateQueries, groups: Sequence[tuple[InstanceGroup, Mapping[str, str]]]
) -> Callable[[str], Hosts]:
    if groups:
        return lambda _address: SharingHosts(shared_address(settings), groups)

    def partitions() -> Mapping[str, int]:
        return {store.name: store.partitions for store in queries.stores()}

    return lambda address: SingleHost(settings.application_server or address, partitions)
