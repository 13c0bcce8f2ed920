"""The OpenAPI description: what FastAPI derives from the routes, with the problems and the credentials."""

from typing import Any

from fastapi import FastAPI

from eddyline.adapters.web.options import ServerOptions
from eddyline.adapters.web.problems import Problem

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
