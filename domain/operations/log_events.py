"""Log events and their triage by severity."""

from eddyline.domain.value import not_empty, value


@value
class LogEvent:
    """What a program reported, and how severe it is; `continued` says that the message continues that of the event before."""

    severity: str
    message: str
    service: str | None = None
    logger: str | None = None
    thread: str | None = None
    continued: bool = False

    def __post_init__(self) -> None:
        not_empty(severity=self.severity)


@value
class Triage:
    """The triage of log events: those of the severities `high` are separated from all others."""

    high: frozenset[str] = frozenset({"ERROR"})

    def is_high(self, event: LogEvent) -> bool:
        """Decide whether the severity of the event is a high one; it has to match exactly: `error` is not `ERROR`."""
        return event.severity in self.high
