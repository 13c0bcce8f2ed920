"""Query servers over the same changelogs on Kafka, in processes of their own."""

import json
import socket
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from pytest_bdd import given, parsers, scenarios, then, when

from eddyline.adapters.cli.main import run
from eddyline.adapters.kafka.event_log import KafkaEventLog
from eddyline.adapters.kafka.event_sink import KafkaEventSink
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.services.broker import Broker
from eddyline.application.ports.event_sink import SinkRecord
from tests.adapters.kafka.conftest import wait_until_settled
from tests.fixtures.commands import Commands

scenarios("queries/shared_servers.feature")

STORES = [f"store-{number:02}" for number in range(20)]
TIMEOUT_S = 120.0
MEMBERS = {"session.timeout.ms": 3_000, "heartbeat.interval.ms": 500}


@dataclass
class Servers:
    """The servers of a scenario."""

    commands: Commands
    words: list[str]
    folder: Path
    clients: dict[str, httpx.Client] = field(default_factory=dict)

    def start(self, name: str, **settings: Any) -> None:
        with socket.create_server(("127.0.0.1", 0)) as closed:
            port = closed.getsockname()[1]
        assigned = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
        own = ["--port", str(port), "--set", f"state.dir={self.folder / 'state'}", *assigned]
        self.commands.start(name, "serve", "inventory", *self.words, *own)
        self.clients[name] = httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=120, trust_env=False)

    def wait_until_ready(self) -> None:
        for name, client in self.clients.items():
            self.eventually(name, lambda client=client: self._has_all(client))

    def eventually(self, name: str, is_so: Any) -> None:
        deadline = time.monotonic() + TIMEOUT_S
        while not is_so():
            assert self.commands.is_running(name), self.commands.err(name)
            assert time.monotonic() < deadline, self.commands.err(name)
            time.sleep(0.05)

    def hosts(self, client: httpx.Client) -> dict[str, list[int]]:
        found = client.get("/hosts").json()["instances"]
        return {instance["host"]: instance["stores"].get("INVENTORY", []) for instance in found}

    def _has_all(self, client: httpx.Client) -> bool:
        try:
            answer = client.get("/stores/INVENTORY/latest")
            return answer.status_code == 200 and answer.json()["freshness"]["restoring"] is False
        except httpx.ConnectError:
            return False


@pytest.fixture(scope="module")
def stock(kafka_broker: Broker, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Track the stock of the stores, and return the options with which it is served."""
    settings = KafkaSettings({"bootstrap.servers": kafka_broker.bootstrap_servers})
    sink = KafkaEventSink(settings)
    sink.create_topic("items", 4)
    items = [{"storeName": store, "sku": "tea", "quantity": number, "type": "RESTOCK"} for number, store in enumerate(STORES, 1)]
    sink.write(uuid.uuid4().hex, 0, 0, [SinkRecord("items", b"tea", json.dumps(item).encode(), 1_000) for item in items])
    sink.close()
    wait_until_settled(settings, "items")
    application = f"inventory-{uuid.uuid4().hex[:8]}"
    words = ["--log", "kafka", "--bootstrap-servers", kafka_broker.bootstrap_servers, "--set", f"application.id={application}"]
    folder = str(tmp_path_factory.mktemp("run"))
    options = ["--engine", "local", "--available-now", "--create-topics", "--data-dir", folder]
    assert run(["run", "inventory", *words, *options, "--set", "changelog.stores=all", "--set", "num.partitions=4"]) == 0
    wait_until_settled(settings, f"{application}-INVENTORY-changelog")
    KafkaEventLog(settings).close()
    return words


@pytest.fixture
def servers(stock: list[str], commands: Commands, tmp_path: Path) -> Iterator[Servers]:
    started = Servers(commands, stock, tmp_path)
    yield started
    for client in started.clients.values():
        client.close()


@given("the stock of 20 stores is tracked on Kafka in 4 partitions")
def stock_is_tracked(stock: list[str]) -> None:
    assert stock


@given("two servers share the state")
def servers_share(servers: Servers) -> None:
    for name in ("first", "second"):
        servers.start(name, **MEMBERS, **{"server.partitions": "shared"})
    servers.wait_until_ready()


@given("two servers that do not share")
def servers_do_not_share(servers: Servers) -> None:
    for name in ("third", "fourth"):
        servers.start(name)
    servers.wait_until_ready()


@when("a server is killed")
def server_is_killed(servers: Servers) -> None:
    servers.commands.kill("second")
    del servers.clients["second"]


@then(parsers.parse("the servers list both hosts with {count:d} partitions each"))
def servers_list_hosts(servers: Servers, count: int) -> None:
    addresses = {client.base_url.netloc.decode() for client in servers.clients.values()}
    for name, client in servers.clients.items():
        servers.eventually(name, lambda client=client: {len(held) for held in servers.hosts(client).values()} == {count})
        found = servers.hosts(client)
        assert (set(found), sorted(number for held in found.values() for number in held)) == (addresses, [0, 1, 2, 3])


@then("both servers answer with the stock of every store")
def servers_answer(servers: Servers) -> None:
    for client in servers.clients.values():
        for number, store in enumerate(STORES, 1):
            (row,) = client.get(f"/stores/INVENTORY/keys/{store}").json()["rows"]
            assert row["value"] == {"stock": {"tea": number}}


@then("both servers name the same host for each store, and each host is that of some")
def servers_name_hosts(servers: Servers) -> None:
    named = [[client.get(f"/hosts/INVENTORY/{store}").json()["host"] for store in STORES] for client in servers.clients.values()]
    assert named[0] == named[1]
    assert set(named[0]) == {client.base_url.netloc.decode() for client in servers.clients.values()}


@then("both servers answer a range of all stores in pages")
def servers_answer_pages(servers: Servers) -> None:
    for client in servers.clients.values():
        found: list[str] = []
        parameters: dict[str, Any] = {"limit": 7}
        while True:
            answer = client.get("/stores/INVENTORY/range", params=parameters).json()
            found += [row["key"] for row in answer["rows"]]
            if answer["cursor"] is None:
                break
            parameters["cursor"] = answer["cursor"]
        assert found == STORES


@then("the other server answers with all stores or says which part is missing, until it holds all partitions")
def other_server_takes_over(servers: Servers) -> None:
    client = servers.clients["first"]
    statuses = set()

    def holds_all() -> bool:
        answer = client.get("/stores/INVENTORY/range")
        statuses.add(answer.status_code)
        if answer.status_code == 503:
            assert answer.json()["type"].rpartition(":")[2] in {"instance-unavailable", "incomplete"}
            return False
        assert answer.status_code == 200
        if answer.json()["freshness"]["restoring"]:
            return False
        assert [row["key"] for row in answer.json()["rows"]] == STORES
        return list(servers.hosts(client).values()) == [[0, 1, 2, 3]]

    servers.eventually("first", holds_all)
    assert statuses == {200, 503}


@then("it is the only host")
@then("each of them is its only host")
def only_host(servers: Servers) -> None:
    for client in servers.clients.values():
        assert servers.hosts(client) == {client.base_url.netloc.decode(): [0, 1, 2, 3]}
