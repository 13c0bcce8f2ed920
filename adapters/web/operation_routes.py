"""Operations on flows: their dead letters, for everyone who may read; redriving them and stopping the run, for operators."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Response

from eddyline.adapters.web.operation_models import (
    LetterDetailModel,
    LetterParameters,
    LettersModel,
    LettersParameters,
    RedriveModel,
    RedriveRequest,
    StopModel,
    StopRequest,
    letter_model,
    letters_model,
    redrive_model,
)
from eddyline.adapters.web.operations import Operations
from eddyline.adapters.web.problems import ProblemError, described
from eddyline.adapters.web.roles import operator_only
from eddyline.adapters.web.runs import Runs
from eddyline.adapters.web.service import QueryService
from eddyline.application.monitoring.run_status import RunState
from eddyline.application.operations.dead_letter_log import LetterPosition, NoSuchLetterError, parse_letter_position
from eddyline.application.operations.dead_letter_service import DeadLetterService, InvalidCursorError, RedriveInProgressError

_MEDIA_TYPE = "application/json"
_Number = Annotated[int, Path(ge=0, lt=10**18)]
_FOR_OPERATORS = [Depends(operator_only)]


def operation_routes(service: QueryService, operations: Operations, runs: Runs) -> APIRouter:
    """Return the routes of operations; `runs` are those beside which the server answers."""
    router = APIRouter()
    of_application = partial(_of_application, operations.dead_letters)

    @router.get(
        "/dead-letters", response_model=LettersModel, responses=described(400, 404), tags=["dead letters"], summary="The latest"
    )
    async def letters(wanted: Annotated[LettersParameters, Query()]) -> Response:
        found = of_application(wanted.application)
        try:
            page = await service.run(
                partial(found.page, wanted.limit, wanted.cursor, topic=wanted.topic, exception=wanted.exception)
            )
        except InvalidCursorError as error:
            raise ProblemError(HTTPStatus.BAD_REQUEST, "invalid-cursor", str(error)) from None
        return _json(letters_model(found.application_id, found.topic, page).model_dump_json(by_alias=True))

    @router.get(
        "/dead-letters/{partition}/{offset}",
        response_model=LetterDetailModel,
        responses=described(404),
        tags=["dead letters"],
        summary="A dead letter with its record",
    )
    async def letter(partition: _Number, offset: _Number, wanted: Annotated[LetterParameters, Query()]) -> Response:
        found = of_application(wanted.application)
        with _known_letters():
            listed = await service.run(partial(found.at, LetterPosition(partition, offset)))
        return _json(letter_model(listed).model_dump_json(by_alias=True))

    @router.post(
        "/dead-letters/redrive",
        response_model=RedriveModel,
        responses=described(400, 403, 404, 409, 415),
        dependencies=_FOR_OPERATORS,
        tags=["dead letters"],
        summary="Write dead letters back to the topics that they were read from, each once",
    )
    async def redrive(wanted: RedriveRequest) -> Response:
        found = of_application(wanted.application)
        if wanted.all:
            action = partial(found.redrive_all, wanted.topic, dry_run=wanted.dry_run)
        else:
            positions = [parse_letter_position(position) for position in wanted.positions]
            action = partial(found.redrive, positions, dry_run=wanted.dry_run)
        try:
            with _known_letters():
                summary = await service.run(action)
        except RedriveInProgressError as error:
            raise ProblemError(HTTPStatus.CONFLICT, "redrive-in-progress", str(error), headers={"Retry-After": "1"}) from None
        return _json(redrive_model(summary).model_dump_json(by_alias=True))

    @router.post(
        "/stop",
        status_code=HTTPStatus.ACCEPTED,
        responses=described(400, 403, 404, 415),
        dependencies=_FOR_OPERATORS,
        tags=["run"],
        summary="Let the run end after the current batch, or all flows of a service",
    )
    async def stop_run(_nothing: StopRequest) -> StopModel:
        await service.run(runs.snapshots)
        if operations.stop is not None:
            runs.stopping()
            operations.stop()
        return StopModel(state=RunState.PENDING_SHUTDOWN)

    return router


def _of_application(dead_letters: Sequence[DeadLetterService], application_id: str | None) -> DeadLetterService:
    """Return the dead letters of an application, None for those of the only one."""
    names = [found.application_id for found in dead_letters]
    if application_id is None and len(dead_letters) == 1:
        return dead_letters[0]
    if application_id not in names:
        listed = ", ".join(f"'{name}'" for name in names) or "this server has none"
        asked = "several applications are served" if application_id is None else f"unknown application '{application_id}'"
        detail = f"{asked}; choose one with application: {listed}"
        raise ProblemError(HTTPStatus.NOT_FOUND, "unknown-application", detail, choices=names)
    return dead_letters[names.index(application_id)]


@contextmanager
def _known_letters() -> Iterator[None]:
    try:
        yield
    except NoSuchLetterError as error:
        raise ProblemError(HTTPStatus.NOT_FOUND, "unknown-dead-letter", str(error)) from None


def _json(content: str) -> Response:
    return Response(content, media_type=_MEDIA_TYPE)
