"""Errors as problem details of RFC 9457."""

from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from eddyline.adapters.web.models import FreshnessModel
from eddyline.application.queries.answers import IncompleteError, InvalidQueryError, NotFreshError, QueryError, UnknownStoreError

MEDIA_TYPE = "application/problem+json"


class ParameterProblem(BaseModel):
    """What is wrong with a parameter."""

    parameter: str
    message: str


class Problem(BaseModel):
    """What went wrong (RFC 9457)."""

    type: str = Field(description="A URN that identifies the kind of problem.")
    title: str
    status: int
    detail: str = Field(description="What is wrong, with the choices and the fix.")
    choices: list[str] | None = Field(None, description="The names to choose from.")
    errors: list[ParameterProblem] | None = Field(None, description="Invalid parameters.")
    freshness: FreshnessModel | None = Field(None, description="How fresh the state is that has no such key.")


class ProblemError(Exception):
    """A request that is answered with a problem."""

    def __init__(
        self,
        status: int,
        kind: str,
        detail: str,
        *,
        choices: Sequence[str] | None = None,
        freshness: FreshnessModel | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status, self.kind, self.detail = status, kind, detail
        self.choices, self.freshness, self.headers = choices, freshness, headers

    def response(self) -> Response:
        """Return the answer."""
        problem = _problem(self.status, self.kind, self.detail)
        problem.choices = None if self.choices is None else list(self.choices)
        problem.freshness = self.freshness
        return _response(problem, self.headers)


def described(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the description of problems with these statuses for OpenAPI, besides those that any request can have."""
    schema = {"$ref": "#/components/schemas/Problem"}
    return {
        status: {"description": HTTPStatus(status).phrase, "content": {MEDIA_TYPE: {"schema": schema}}}
        for status in sorted({*statuses, 401, 421, 422, 429, 503})
    }


def add_problem_handlers(app: FastAPI, names: Callable[[], Sequence[str]], no_such_path: Callable[[str], ProblemError]) -> None:
    """Let an application answer all errors as problems.

    Args:
        app: The application.
        names: Returns the names of the stores.
        no_such_path: Returns the problem of a path that has no route.
    """

    async def of_problem(_request: Request, error: Any) -> Response:
        return error.response()  # type: ignore[no-any-return] # it is a ProblemError

    async def of_query(_request: Request, error: Any) -> Response:
        return of_query_error(error, names()).response()

    async def of_validation(_request: Request, error: Any) -> Response:
        errors = [
            ParameterProblem(parameter=".".join(str(part) for part in found["loc"][1:]), message=found["msg"])
            for found in error.errors()
        ]
        detail = "; ".join(f"parameter '{found.parameter}': {found.message}" for found in errors)
        problem = _problem(HTTPStatus.UNPROCESSABLE_ENTITY, "invalid-parameters", detail)
        problem.errors = errors
        return _response(problem)

    async def of_http(request: Request, error: Any) -> Response:
        if error.status_code == HTTPStatus.NOT_FOUND:
            return no_such_path(request.scope["path"]).response()
        kind = HTTPStatus(error.status_code).phrase.lower().replace(" ", "-")
        detail = f"{request.method} is not possible at this path; see /openapi.json"
        if error.status_code == HTTPStatus.BAD_REQUEST:
            detail = "the body cannot be read; send JSON in UTF-8"
        return _response(_problem(error.status_code, kind, detail), error.headers)

    async def of_bug(_request: Request, _error: Any) -> Response:
        detail = "the server could not answer; its log has the reason"
        return _response(_problem(HTTPStatus.INTERNAL_SERVER_ERROR, "internal-error", detail))

    app.add_exception_handler(ProblemError, of_problem)
    app.add_exception_handler(QueryError, of_query)
    app.add_exception_handler(RequestValidationError, of_validation)
    app.add_exception_handler(HTTPException, of_http)
    app.add_exception_handler(Exception, of_bug)


def of_query_error(error: QueryError, names: Sequence[str]) -> ProblemError:
    """Return the problem of an error of a query."""
    if isinstance(error, UnknownStoreError):
        return ProblemError(HTTPStatus.NOT_FOUND, "unknown-store", str(error), choices=names)
    if isinstance(error, IncompleteError):
        return ProblemError(HTTPStatus.SERVICE_UNAVAILABLE, "incomplete", str(error), headers={"Retry-After": "1"})
    if isinstance(error, NotFreshError):
        return ProblemError(HTTPStatus.PRECONDITION_FAILED, "not-fresh", str(error), headers={"Retry-After": "1"})
    kind = "invalid-query" if isinstance(error, InvalidQueryError) else "query"
    return ProblemError(HTTPStatus.BAD_REQUEST, kind, str(error))


def _problem(status: int, kind: str, detail: str) -> Problem:
    return Problem(
        type=f"urn:eddyline:problem:{kind}", title=HTTPStatus(status).phrase, status=status, detail=detail,
        choices=None, errors=None, freshness=None,
    )  # fmt: skip


def _response(problem: Problem, headers: dict[str, str] | None = None) -> Response:
    content = problem.model_dump_json(exclude_none=True, by_alias=True)
    return Response(content, status_code=problem.status, media_type=MEDIA_TYPE, headers=headers)
