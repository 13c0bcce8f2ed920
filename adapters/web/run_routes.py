"""The status of the run beside which the server answers."""

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Query, Response

from eddyline.adapters.web.problems import ProblemError, described
from eddyline.adapters.web.run_models import RunModel, run_model
from eddyline.adapters.web.service import QueryService
from eddyline.application.monitoring.run_monitor import RunMonitor

_MOST_BATCHES = 600


def run_routes(service: QueryService, monitor: RunMonitor | None) -> APIRouter:
    """Return the routes of a run, None for a server that has none."""
    router = APIRouter(tags=["run"])

    @router.get(
        "/status",
        response_model=RunModel,
        responses=described(404),
        summary="What the run does: counts, positions, lag, tasks and the last batches",
    )
    async def status(
        batches: Annotated[int, Query(ge=0, le=_MOST_BATCHES, description="The greatest number of batches to return.")] = 60,
    ) -> Response:
        found = await service.run(running(monitor).snapshot)
        return Response(run_model(found, batches).model_dump_json(by_alias=True), media_type="application/json")

    return router


def running(monitor: RunMonitor | None) -> RunMonitor:
    """Return the monitor of the run.

    Raises:
        ProblemError: The server has none.
    """
    if monitor is None:
        detail = (
            "this server follows changelogs, and the flow runs elsewhere; ask the server that 'eddyline run --serve' starts, or "
            "GET /stores, which has the lag, the stream time and the records per second of each store"
        )
        raise ProblemError(HTTPStatus.NOT_FOUND, "no-run", detail)
    return monitor
