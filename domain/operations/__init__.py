"""Operations: machines that need maintenance, and log events by severity."""

from eddyline.domain.operations.device import (
    Device,
    MaintenanceRequest,
    MaintenanceRules,
    MeanReadings,
    Observation,
    Reading,
    ReadingSums,
    Service,
    Sign,
)
from eddyline.domain.operations.log_events import LogEvent, Triage

__all__ = [
    "Device",
    "LogEvent",
    "MaintenanceRequest",
    "MaintenanceRules",
    "MeanReadings",
    "Observation",
    "Reading",
    "ReadingSums",
    "Service",
    "Sign",
    "Triage",
]
