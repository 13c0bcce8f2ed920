"""The addresses and files of query servers."""

from pathlib import Path

import pytest

from eddyline.adapters.settings import Settings, SettingsError
from eddyline.adapters.wiring.queries import read_model_file, shared_address

ANY = "0.0.0.0"  # noqa: S104 - nothing listens
SHARED = {"server.partitions": "shared", "log": "kafka"}


def test_the_address_of_a_server_that_shares_partitions_is_the_one_that_others_reach() -> None:
    assert shared_address(Settings.load(SHARED)) == "127.0.0.1:8642"
    assert shared_address(Settings.load({**SHARED, "server.host": "::1"})) == "[::1]:8642"
    behind = {**SHARED, "server.host": ANY, "application.server": "state-1.example:443"}
    assert shared_address(Settings.load(behind)) == "state-1.example:443"


@pytest.mark.parametrize("settings", [{"server.port": "0"}, {"server.host": ANY}, {"server.host": "::"}])
def test_an_address_that_others_cannot_use_is_refused(settings: dict[str, str]) -> None:
    with pytest.raises(
        SettingsError, match=r"is not one at which other servers reach this one; set application.server to HOST:PORT"
    ):
        shared_address(Settings.load({**SHARED, **settings}))


def test_only_kafka_assigns_partitions() -> None:
    with pytest.raises(SettingsError, match=r"log 'files' cannot assign partitions; set log=kafka, or server.partitions=all"):
        shared_address(Settings.load({"server.partitions": "shared"}))


def test_servers_that_share_partitions_have_a_file_each() -> None:
    settings = Settings.load({**SHARED, "state.dir": "state", "application.server": "host:1"})
    assert read_model_file(settings, "stock") == Path("state/queries/stock.sqlite")
    assert read_model_file(settings, "stock", shared=True) == Path("state/queries/stock@host%3A1.sqlite")
