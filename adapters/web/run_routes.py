"""The status of the runs beside which the server answers."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from eddyline.adapters.web.problems import described
from eddyline.adapters.web.run_models import RunModel, ServiceModel, run_model, service_model
from eddyline.adapters.web.runs import Runs
from eddyline.adapters.web.service import QueryService

_MOST_BATCHES = 600


def run_routes(service: QueryService, runs: Runs) -> APIRouter:
    """Return the routes of runs."""
    router = APIRouter(tags=["run"])

    @router.get(
        "/status",
        response_model=RunModel if runs.service is None else RunModel | ServiceModel,
        responses=described(404),
        summary="What the run does: counts, positions, lag, tasks and the last batches; or what all flows of a service do",
    )
    async def status(
        batches: Annotated[int, Query(ge=0, le=_MOST_BATCHES, description="The greatest number of batches to return.")] = 60,
        flow: Annotated[str | None, Query(description="The flow of a service, or its application id; all without one.")] = None,
    ) -> Response:
        found: RunModel | ServiceModel
        if flow is not None:
            found = run_model(await service.run(lambda: runs.of(flow)), batches)
        else:
            statuses = await service.run(runs.snapshots)
            found = run_model(statuses[0], batches) if runs.service is None else service_model(runs.service, statuses, batches)
        return Response(found.model_dump_json(by_alias=True), media_type="application/json")

    return router
