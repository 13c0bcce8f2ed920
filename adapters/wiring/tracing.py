"""Traces, which need the extra `opentelemetry`."""

from typing import TYPE_CHECKING

from eddyline.adapters.settings import Settings
from eddyline.adapters.wiring.extras import extra

if TYPE_CHECKING:
    from eddyline.adapters.opentelemetry.tracing import RunTracer


def run_tracer(settings: Settings, application_id: str, flow: str) -> "RunTracer | None":
    """Return what exports the spans of a run, None if tracing is off.

    Raises:
        MissingExtraError: A library of the extra `opentelemetry` is not installed.
    """
    if not settings.tracing_enabled:
        return None
    with extra("opentelemetry"):
        from eddyline.adapters.opentelemetry.tracing import RunTracer
    return RunTracer(application_id, flow)
