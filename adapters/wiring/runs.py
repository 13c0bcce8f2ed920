"""The options of a run, from settings."""

from typing import Any

from eddyline.adapters.settings import Settings
from eddyline.application.runtime.options import RunOptions


def run_options(settings: Settings, application_id: str, **options: Any) -> RunOptions:
    """Return the options of a run of an application; `options` take precedence over the settings."""
    return RunOptions(
        **{
            "application_id": application_id,
            "emit": settings.emit,
            "order": settings.order,
            "max_batch_records": settings.max_batch_records,
            "trigger_interval_ms": settings.trigger_interval_ms,
            "new_topic_partitions": settings.num_partitions,
            "auto_offset_reset": settings.auto_offset_reset,
            "dead_letter_drops": settings.dead_letter_drops,
            **options,
        }
    )
