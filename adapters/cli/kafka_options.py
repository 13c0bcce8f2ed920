"""The options of commands that work on Kafka alone."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from eddyline.adapters.cli.assignments import parse_assignments
from eddyline.adapters.cli.containers import container_for
from eddyline.adapters.cli.errors import UsageError
from eddyline.adapters.cli.option_groups import OptionGroup
from eddyline.adapters.settings import DEFAULT_BOOTSTRAP_SERVERS, Settings

if TYPE_CHECKING:
    from eddyline.adapters.container import Container


@dataclass(frozen=True)
class KafkaOptions(OptionGroup):
    """Options for the Kafka clients."""

    bootstrap_servers: Annotated[
        str,
        typer.Option(
            "--bootstrap-servers",
            metavar="HOST:PORT,…",
            help="Connect to these Kafka brokers.",
            envvar="EDDYLINE_BOOTSTRAP_SERVERS",
        ),
    ] = DEFAULT_BOOTSTRAP_SERVERS
    assignments: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=VALUE", help="Set a setting of the Kafka clients, such as linger.ms=5. Can be repeated."
        ),
    ] = None

    def container(self, registry_url: str | None = None) -> "Container":
        """Return the adapters for the cluster; `registry_url` is the URL of its schema registry.

        Raises:
            UsageError: the Kafka clients have no such setting.
        """
        kafka = {"bootstrap.servers": self.bootstrap_servers, **parse_assignments(self.assignments or ())}
        registry = {} if registry_url is None else {"url": registry_url}
        container = container_for(Settings.model_validate({"log": "kafka", "kafka": kafka, "schema_registry": registry}))
        try:
            container.kafka_settings()
        except ValueError as invalid:
            raise UsageError(str(invalid)) from None
        return container
