"""The options of commands that work on Kafka alone."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from eddyline.adapters.cli.containers import container_for
from eddyline.adapters.cli.option_groups import SettingOptions
from eddyline.adapters.cli.options import SettingSources

if TYPE_CHECKING:
    from eddyline.adapters.container import Container


@dataclass(frozen=True)
class KafkaOptions(SettingOptions):
    """Options for the Kafka cluster."""

    bootstrap_servers: Annotated[
        str | None,
        typer.Option(
            "--bootstrap-servers", metavar="HOST:PORT,…", help="Connect to these Kafka brokers. Setting: bootstrap.servers."
        ),
    ] = None

    def container(self, sources: SettingSources) -> "Container":
        """Return the adapters for the cluster that the settings name, whatever event log flows use."""
        return container_for(sources.settings(self).model_copy(update={"log": "kafka"}))
