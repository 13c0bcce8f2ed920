"""The web application: all routes over the queries of an application's state."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Any

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.responses import RedirectResponse
from starlette.types import ASGIApp

from eddyline.adapters.web.access import AccessMiddleware, Credentials
from eddyline.adapters.web.discovery import DiscoveryMiddleware, StoreDiscovery
from eddyline.adapters.web.login import PAGE_PATH, Login
from eddyline.adapters.web.metrics import CONTENT_TYPE, MetricsMiddleware, ServerMetrics
from eddyline.adapters.web.models import (
    HealthModel,
    HealthStatus,
    InstancesModel,
    KeyModel,
    StoresModel,
    instances_model,
    store_model,
)
from eddyline.adapters.web.operation_routes import operation_routes
from eddyline.adapters.web.operations import Operations
from eddyline.adapters.web.options import ServerOptions
from eddyline.adapters.web.problems import Problem, add_problem_handlers, described
from eddyline.adapters.web.run_routes import run_routes
from eddyline.adapters.web.runs import NO_RUNS, Runs
from eddyline.adapters.web.service import QueryService
from eddyline.adapters.web.sessions import Sessions
from eddyline.adapters.web.store_routes import no_such_path
from eddyline.application.queries.hosts import Hosts
from eddyline.application.queries.state_queries import StateQueries

_DESCRIPTION = (
    "The state stores of running flows. Keys are text if their type is str, else JSON. Times are milliseconds since the epoch."
    " Errors are problem details (RFC 9457)."
)


def query_app(
    queries: StateQueries,
    hosts: Hosts,
    options: ServerOptions,
    runs: Runs = NO_RUNS,
    operations: Operations | None = None,
    page: ASGIApp | None = None,
) -> tuple[FastAPI, QueryService, Sessions]:
    """Return the web application, the service whose `closing` ends its event streams, and the sessions of browsers.

    Stores get routes when they are found.

    Args:
        queries: The state.
        hosts: The instances.
        options: The options of the server, with the port that it has.
        runs: The runs beside which the server answers.
        operations: What operators may do.
        page: The page for people, None for a server without one.
    """
    service = QueryService(queries, hosts, options)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        async with service:
            yield

    app = FastAPI(
        title="Eddyline queries",
        description=_DESCRIPTION,
        version="1",
        lifespan=lifespan,
        docs_url=None,  # its page would load scripts from the internet
        redoc_url=None,
        redirect_slashes=False,
    )
    metrics = ServerMetrics(queries, runs.monitors)
    discovery = StoreDiscovery(service)
    add_problem_handlers(
        app,
        lambda: [store.name for store in discovery.stores],
        lambda path: no_such_path(path, discovery.stores),
    )
    app.include_router(_store_list(service))
    app.include_router(_host_routes(service, discovery))
    app.include_router(run_routes(service, runs))
    app.include_router(operation_routes(service, operations or Operations(), runs))
    app.include_router(_health_routes(service, metrics, runs))
    describe(app, options)
    sessions = Sessions(left=options.sessions)
    if page is not None:
        app.include_router(_page_routes())
        app.include_router(Login(options, sessions, Credentials(options).role).router())
        app.mount(PAGE_PATH, page)
    app.add_middleware(DiscoveryMiddleware, discovery=discovery)
    app.add_middleware(AccessMiddleware, options=options, sessions=sessions)
    app.add_middleware(MetricsMiddleware, metrics=metrics)
    return app, service, sessions


def _page_routes() -> APIRouter:
    """Return the routes that lead to the page."""
    router = APIRouter(include_in_schema=False)

    async def to_page() -> Response:
        return RedirectResponse(f"{PAGE_PATH}/", HTTPStatus.TEMPORARY_REDIRECT)

    for path in ("/", PAGE_PATH):
        router.add_api_route(path, to_page, methods=["GET", "HEAD"])
    return router


def _store_list(service: QueryService) -> APIRouter:
    router = APIRouter(tags=["stores"])

    @router.get("/stores", response_model=StoresModel, responses=described(), summary="All stores")
    async def stores() -> Response:
        found = await service.run(service.queries.stores)
        models = StoresModel.model_construct(stores=[store_model(store) for store in found])
        return _json(models.model_dump_json(by_alias=True, warnings=False))

    return router


def _host_routes(service: QueryService, discovery: StoreDiscovery) -> APIRouter:
    router = APIRouter(prefix="/hosts", tags=["hosts"])

    @router.get("", response_model=InstancesModel, responses=described(), summary="All instances with their stores")
    async def instances() -> Response:
        return _json(instances_model(await service.run(service.hosts.instances)).model_dump_json())

    @router.get(
        "/{store}/{key:path}", response_model=KeyModel, responses=described(400, 404), summary="The instance that holds a key"
    )
    async def of_key(request: Request, store: str, key: str) -> Response:
        keys = discovery.keys_of(store)
        if keys is None:
            raise no_such_path(f"/stores/{store}", discovery.stores)
        found = await service.locate(request, store, key, keys.key(key))
        return _json(found.model_dump_json())

    return router


def _health_routes(service: QueryService, metrics: ServerMetrics, runs: Runs) -> APIRouter:
    router = APIRouter(tags=["health"])

    @router.get("/health/live", summary="Whether the server runs")
    async def live() -> HealthModel:
        return HealthModel(status="live", restoring=[])

    @router.get("/health", include_in_schema=False, response_model_exclude_defaults=True)
    @router.get(
        "/health/ready",
        response_model_exclude_defaults=True,
        responses={503: {"model": HealthModel}},
        summary="Whether all flows work, and the state of all stores has been read from the changelog",
    )
    async def ready(response: Response) -> HealthModel:
        found = await service.run(service.queries.stores)
        restoring = [store.name for store in found if store.freshness.restoring]
        failing = await service.run(runs.failing)
        if restoring or failing:
            response.status_code = HTTPStatus.SERVICE_UNAVAILABLE
        status: HealthStatus = "failing" if failing else "restoring" if restoring else "ready"
        return HealthModel(status=status, restoring=restoring, failing=failing)

    @router.get(
        "/metrics",
        response_class=Response,
        responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}, **described()},
        summary="Metrics for Prometheus",
    )
    async def prometheus() -> Response:
        return Response(await service.run(metrics.text), headers={"Content-Type": CONTENT_TYPE})

    return router


def _json(content: str) -> Response:
    return Response(content, media_type="application/json")


_REFERENCES = "#/components/schemas/{model}"


def describe(app: FastAPI, options: ServerOptions) -> None:
    """Complete the description of an application when it is first asked for."""
    derived = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _completed(derived(), options)
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign] # as FastAPI's documentation says


def _completed(description: dict[str, Any], options: ServerOptions) -> dict[str, Any]:
    components = description.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    problem = Problem.model_json_schema(mode="serialization", ref_template=_REFERENCES)
    schemas.update({name: schema for name, schema in problem.pop("$defs").items() if name not in schemas})
    schemas["Problem"] = problem
    schemes = {
        "bearer": (options.token, options.operator_token),
        "basic": (options.username, options.operator_username),
    }
    chosen = [scheme for scheme, secrets in schemes.items() if any(secret is not None for secret in secrets)]
    if chosen:
        components["securitySchemes"] = {scheme: {"type": "http", "scheme": scheme} for scheme in chosen}
        description["security"] = [{scheme: []} for scheme in chosen]
    return description
