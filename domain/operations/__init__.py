"""Machines that need maintenance, and log events by severity."""

from eddyline.domain.operations.device import (
    Device,
    MaintenanceRequest,
    MaintenanceRules,
    MeanReadings,
    Reading,
    ReadingSums,
    Service,
    Sign,
)
from eddyline.domain.operations.log_events import HIGH_SEVERITIES, LogEvent, is_high, severity

__all__ = [
    "HIGH_SEVERITIES",
    "Device",
    "LogEvent",
    "MaintenanceRequest",
    "MaintenanceRules",
    "MeanReadings",
    "Reading",
    "ReadingSums",
    "Service",
    "Sign",
    "is_high",
    "severity",
]
