"""Operations: machines that need maintenance, the load of services, and log events by severity."""

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
from eddyline.domain.operations.load import LoadPercentiles, Overload, ServiceLoad
from eddyline.domain.operations.log_events import LogEvent, Triage

__all__ = [
    "Device",
    "LoadPercentiles",
    "LogEvent",
    "MaintenanceRequest",
    "MaintenanceRules",
    "MeanReadings",
    "Observation",
    "Overload",
    "Reading",
    "ReadingSums",
    "Service",
    "ServiceLoad",
    "Sign",
    "Triage",
]
