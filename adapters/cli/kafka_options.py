"""Options that the commands for Kafka share."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, TypeAlias

import typer

from eddyline.adapters.cli.errors import UsageError
from eddyline.adapters.cli.options import parse_assignments
from eddyline.adapters.kafka.settings import LOCAL_BROKER, KafkaSettings

BootstrapServers: TypeAlias = Annotated[
    str,
    typer.Option(metavar="HOST:PORT,…", help="The brokers to ask first.", envvar="EDDYLINE_BOOTSTRAP_SERVERS"),
]
KafkaAssignments: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="A setting of Kafka's clients by its dotted name (linger.ms=5)."),
]
DEFAULT_SERVERS = str(LOCAL_BROKER["bootstrap.servers"])

_DURATION = re.compile(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?")


def kafka_settings(bootstrap_servers: str, assignments: Sequence[str] | None) -> KafkaSettings:
    """The settings of the clients; `--set` wins. Raises KafkaSettingsError, UsageError."""
    return KafkaSettings({"bootstrap.servers": bootstrap_servers, **parse_assignments(assignments or ())})


def parse_time(text: str) -> int:
    """A time in ISO 8601 (of UTC where it names no zone), or in ms since the epoch, as ms since the epoch. Raises UsageError."""
    if text.isdigit():
        return int(text)
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(
            f"'{text}' is not a time; write 2026-03-01T12:00:00, 2026-03-01T12:00:00+01:00 or ms since 1970"
        ) from None
    return round((when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp() * 1000)


def parse_duration(text: str) -> int:
    """A duration of ISO 8601 in days, hours, minutes and seconds, in ms. Raises UsageError."""
    match = _DURATION.fullmatch(text)
    if match is None or not any(match.groups()):
        raise UsageError(f"'{text}' is not a duration; write it as P1DT2H30M or PT90S")
    days, hours, minutes, seconds = (float(part or 0) for part in match.groups())
    return round((((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000)
