"""The options of a run, from settings."""

from typing import Any, Final

from eddyline.adapters.settings import Settings
from eddyline.application.flows.flow import Flow
from eddyline.application.runtime.plan.changelogs import store_choice
from eddyline.application.runtime.plan.options import RunOptions

_COMMIT_INTERVALS_MS: Final = {"exactly_once_v2": 100, "at_least_once": 30_000}


def run_options(settings: Settings, application_id: str, flow: Flow | None = None, **options: Any) -> RunOptions:
    """Return the options of a run of an application; `options` take precedence over the settings, and these over the flow."""
    processing = "fail" if flow is None else flow.processing_exception_handler
    production = "fail" if flow is None else flow.production_exception_handler
    return RunOptions(
        **{
            "application_id": application_id,
            "emit": settings.emit,
            "order": settings.order,
            "max_batch_records": settings.max_batch_records,
            "max_task_idle_ms": settings.max_task_idle_ms,
            "idle_timeout_ms": settings.source_idle_timeout_ms,
            "trigger_interval_ms": settings.trigger_interval_ms,
            "input_buffer_max_bytes": settings.input_buffer_max_bytes,
            "commit_interval_ms": _commit_interval_ms(settings),
            "new_topic_partitions": settings.num_partitions,
            "auto_offset_reset": settings.auto_offset_reset,
            "dead_letter_drops": settings.dead_letter_drops,
            "processing_exception_handler": settings.processing_exception_handler or processing,
            "production_exception_handler": settings.production_exception_handler or production,
            "changelog_stores": store_choice(settings.changelog_stores),
            "trace_contexts": settings.tracing_enabled,
            "metrics_recording_level": settings.metrics_recording_level or "info",
            **options,
        }
    )


def _commit_interval_ms(settings: Settings) -> int:
    """Return the commit interval; event logs other than Kafka write results only with commits, so they commit soon."""
    if settings.commit_interval_ms is not None:
        return settings.commit_interval_ms
    return _COMMIT_INTERVALS_MS[settings.processing_guarantee if settings.log == "kafka" else "exactly_once_v2"]
