"""Instances that share the partitions of stores: each answers with the parts of the others."""

import itertools
import socket
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Any

import httpx
import pytest
from starlette.types import ASGIApp

from eddyline.adapters.web.options import ServerOptions
from eddyline.adapters.web.tokens import generated_token
from eddyline.application.ports.event_log import TopicPartition
from eddyline.application.ports.instance_group import InstanceGroup
from eddyline.application.queries.hosts import SharingHosts
from tests.adapters.web.test_login import HTML, page
from tests.fixtures.query_servers import serving
from tests.queries.changelogs import APPLICATION, Changelogs

PARTITIONS = 3
STOCK = {"apple": 0, "apricot": 2, "banana": 1, "cherry": 0, "date": 1, "elder": 2}
"""The partition of each key."""


class AssignedGroup(InstanceGroup):
    """A group whose partitions a test assigns; all instances share `assigned`."""

    def __init__(self, assigned: dict[str, set[int] | None]) -> None:
        self._assigned, self._host = assigned, ""
        self._topics: Sequence[str] = ()

    def start(self, host: str, topics: Sequence[str]) -> None:
        self._host, self._topics = host, topics

    def held(self) -> Collection[TopicPartition] | None:
        numbers = self._assigned.get(self._host)
        return None if numbers is None else {TopicPartition(topic, number) for topic in self._topics for number in numbers}

    def members(self) -> Mapping[str, Collection[TopicPartition]]:
        return {
            host: {TopicPartition(topic, number) for topic in self._topics for number in numbers or ()}
            for host, numbers in self._assigned.items()
        }

    def close(self) -> None:
        """Leave nothing behind."""


class Cluster:
    """Servers over the same changelogs."""

    def __init__(self, stack: ExitStack, token: str | None, *, generated: bool = False, page: ASGIApp | None = None) -> None:
        self.logs = Changelogs(partitions=PARTITIONS)
        self._page = page
        self.assigned: dict[str, set[int] | None] = {}
        self.followers: list[Changelogs] = []
        self.clients: list[httpx.Client] = []
        self.stack, self._token, self._generated = stack, token, generated
        for key, partition in STOCK.items():
            self.logs.write("stock", {key: (partition, 0)}, partition=partition)
            self.logs.write("sales", {(key, 0): partition, (key, 10): partition + 10}, partition=partition)
        for store in ("stock", "sales"):
            for partition in range(PARTITIONS):
                self.logs.progress(store, 7 + partition, 10 - partition, 20, partition=partition, time_ms=partition)
        self.logs.orders(0, 10)
        self.logs.orders(1, 20)

    def add(self, *partitions: int) -> httpx.Client:
        """Start a server that holds these partitions."""
        group = AssignedGroup(self.assigned)
        own = Changelogs(log=self.logs.log, partitions=PARTITIONS, group=group)
        token = generated_token() if self._generated else self._token
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}

        def hosts(address: str) -> SharingHosts:
            self.assigned[address] = set(partitions)
            group.start(address, list(own.follower.topics.values()))
            return SharingHosts(address, [(group, {topic: store for store, topic in own.follower.topics.items()})])

        own.follower.start()
        self.stack.callback(own.follower.stop)
        options = ServerOptions(port=0, operator_token=token, generated=self._generated, rate_limit=0)
        server = self.stack.enter_context(serving(own.queries, options, hosts, page=self._page))
        client = httpx.Client(base_url=server.url, headers=headers, trust_env=False, timeout=120)
        self.clients.append(self.stack.enter_context(client))
        self.followers.append(own)
        self.settle()
        return client

    def settle(self) -> None:
        """Wait until every server has followed its partitions."""
        for own, numbers in zip(self.followers, self.assigned.values(), strict=True):
            for store in ("stock", "sales"):
                assert own.follower.wait_until(
                    lambda own=own, store=store, numbers=numbers: (  # type: ignore[misc] # a lambda with defaults
                        not own.follower.joining(store)
                        and set(own.follower.held(store)) == numbers
                        and not own.follower.restoring(store)
                    ),
                    10,
                )

    def assign(self, client: httpx.Client, *partitions: int) -> None:
        self.assigned[address(client)] = set(partitions)


def address(client: httpx.Client) -> str:
    return client.base_url.netloc.decode()


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with ExitStack() as stack:
        yield Cluster(stack, None)


@pytest.fixture
def alone(cluster: Cluster) -> httpx.Client:
    """Return a server that holds everything, to compare with."""
    queries = Changelogs(log=cluster.logs.log, partitions=PARTITIONS)
    queries.follower.catch_up()
    stack = cluster.stack
    server = stack.enter_context(serving(queries.queries, ServerOptions(port=0, rate_limit=0)))
    return stack.enter_context(httpx.Client(base_url=server.url, trust_env=False, timeout=120))


PATHS = [
    "/stores/stock/keys/banana",
    "/stores/stock/keys?key=elder&key=apple&key=none&key=date",
    "/stores/stock/range?first=apricot&last=date",
    "/stores/stock/prefix/ap",
    "/stores/stock/latest",
    "/stores/sales/keys/date",
    "/stores/sales/windows/date?from=10&to=19",
    "/stores/sales/latest",
    "/stores/stock/keys/none",
    "/stores/stock/range?min_offset=orders:0:7",
]


def test_every_instance_answers_as_one_that_holds_everything(cluster: Cluster, alone: httpx.Client) -> None:
    for partitions in ((0,), (1, 2), ()):
        cluster.add(*partitions)
    for path in PATHS:
        expected = alone.get(path)
        assert expected.status_code == (404 if "none" in path and "?" not in path else 200)
        for client in cluster.clients:
            answer = client.get(path)
            assert (answer.status_code, answer.json()) == (expected.status_code, expected.json()), path


def test_instances_send_each_other_the_credentials_that_they_share() -> None:
    with ExitStack() as stack:
        cluster = Cluster(stack, "sesame")
        first, second = cluster.add(0), cluster.add(1, 2)
        assert len(first.get("/stores/stock/range").json()["rows"]) == len(STOCK)
        assert httpx.get(f"{second.base_url}/stores/stock/range", trust_env=False).status_code == 401


def test_instances_with_generated_tokens_find_those_of_each_other() -> None:
    with ExitStack() as stack:
        cluster = Cluster(stack, None, generated=True)
        first, second = cluster.add(0), cluster.add(1, 2)
        assert len(first.get("/stores/stock/range").json()["rows"]) == len(STOCK)
        assert httpx.get(f"{second.base_url}/stores/stock/range", headers=first.headers, trust_env=False).status_code == 401


def test_instances_ask_each_other_for_a_browser_that_has_logged_in() -> None:
    with ExitStack() as stack:
        cluster = Cluster(stack, "sesame", page=page)
        first, _ = cluster.add(0), cluster.add(1, 2)
        del first.headers["Authorization"]
        assert first.get("/ui/?token=sesame", headers=HTML).status_code == 303
        assert len(first.get("/stores/stock/range").json()["rows"]) == len(STOCK)


def test_pages_have_the_rows_of_all_instances_once(cluster: Cluster, alone: httpx.Client) -> None:
    for partition in range(PARTITIONS):
        cluster.add(partition)
    for path, limit in (("/stores/sales/range", 5), ("/stores/sales/latest", 4), ("/stores/stock/range", 1)):
        rows: list[Any] = []
        parameters: dict[str, Any] = {"limit": limit}
        for number in itertools.count():
            answer = cluster.clients[number % PARTITIONS].get(path, params=parameters).json()
            rows += answer["rows"]
            if answer["cursor"] is None:
                break
            assert len(answer["rows"]) == limit
            parameters["cursor"] = answer["cursor"]
        assert rows == alone.get(path).json()["rows"]


def test_the_hosts_and_the_one_of_a_key(cluster: Cluster) -> None:
    first, second = cluster.add(0), cluster.add(1, 2)
    for client in (first, second):
        found = {instance["host"]: instance["stores"] for instance in client.get("/hosts").json()["instances"]}
        assert {host: stores["stock"] for host, stores in found.items()} == {address(first): [0], address(second): [1, 2]}
        assert client.get("/hosts/stock/cherry").json() == {"host": address(first), "partition": 0}
        assert client.get("/hosts/stock/apricot").json() == {"host": address(second), "partition": 2}
        assert client.get("/hosts/stock/none").status_code == 404
    assert (first.get("/stores/stock").json()["held"], second.get("/stores/stock").json()["held"]) == ([0], [1, 2])


def test_partitions_that_move_are_answered_by_their_new_instance(cluster: Cluster, alone: httpx.Client) -> None:
    first, second = cluster.add(0), cluster.add(1, 2)
    cluster.assign(first, 0, 1)
    cluster.assign(second, 2)
    cluster.settle()
    expected = alone.get("/stores/stock/range").json()
    assert first.get("/stores/stock/range").json() == second.get("/stores/stock/range").json() == expected
    assert first.get("/hosts/stock/banana").json()["host"] == address(first)
    assert [row["key"] for row in _own_rows(second)] == ["apricot", "elder"]


def _own_rows(client: httpx.Client) -> list[Any]:
    rows: list[Any] = client.get("/stores/stock/range", headers={"Eddyline-Forwarded": "1"}).json()["rows"]
    return rows


def test_an_instance_that_has_died_is_named_until_its_partitions_have_moved(cluster: Cluster, alone: httpx.Client) -> None:
    first = cluster.add(0)
    with socket.create_server(("127.0.0.1", 0)) as closed:
        dead = f"127.0.0.1:{closed.getsockname()[1]}"
    cluster.assigned[dead] = {1, 2}
    for path in ("/stores/stock/range", "/stores/stock/keys/banana", "/hosts/stock/banana"):
        answer = first.get(path)
        assert (answer.status_code, answer.json()["type"], answer.headers["retry-after"]) == (
            503,
            "urn:eddyline:problem:instance-unavailable",
            "1",
        )
        assert f"instance '{dead}', which holds a part of the answer, does not answer" in answer.json()["detail"]
    del cluster.assigned[dead]
    answer = first.get("/stores/stock/range")
    assert (answer.status_code, answer.json()["type"]) == (503, "urn:eddyline:problem:incomplete")
    assert "no instance holds partition 1, 2 of store 'stock' at the moment" in answer.json()["detail"]
    cluster.assign(first, 0, 1, 2)
    cluster.settle()
    assert first.get("/stores/stock/range").json() == alone.get("/stores/stock/range").json()


def test_an_instance_that_hangs_is_not_waited_for_longer_than_5_s(cluster: Cluster) -> None:
    first = cluster.add(0)
    with socket.create_server(("127.0.0.1", 0)) as hanging:
        cluster.assigned[f"127.0.0.1:{hanging.getsockname()[1]}"] = {1, 2}
        answer = first.get("/stores/stock/range", timeout=120)
    assert (answer.status_code, answer.json()["type"]) == (503, "urn:eddyline:problem:instance-unavailable")


def test_instances_that_disagree_give_no_answer(cluster: Cluster) -> None:
    first, _ = cluster.add(0, 1), cluster.add(1, 2)
    answer = first.get("/stores/stock/range")
    assert (answer.status_code, answer.json()["type"]) == (503, "urn:eddyline:problem:incomplete")


def test_an_instance_that_is_joining_says_so_and_is_not_ready(cluster: Cluster) -> None:
    client = cluster.add(0, 1, 2)
    cluster.assigned[address(client)] = None
    assert cluster.followers[0].follower.wait_until(lambda: cluster.followers[0].follower.joining("stock"), 10)
    answer = client.get("/stores/stock/keys/banana")
    assert (answer.status_code, answer.json()["type"]) == (503, "urn:eddyline:problem:incomplete")
    assert "it is joining the other instances" in answer.json()["detail"]
    assert client.get("/health/ready").status_code == 503
    assert client.get("/stores/stock").json()["held"] == []


def test_problems_with_the_request_are_those_of_one_server(cluster: Cluster) -> None:
    client, _ = cluster.add(0), cluster.add(1, 2)
    assert client.get("/stores/stock/range?min_offset=orders:0:9&timeout=0.1").status_code == 412
    assert client.get("/stores/stock/range?cursor=x").status_code == 400
    assert client.get("/hosts/visits/x").status_code == 404
    assert client.get(f"/stores/{APPLICATION}/keys/x").status_code == 404


def test_a_single_instance_holds_all_partitions(client: httpx.Client) -> None:
    (found,) = client.get("/hosts").json()["instances"]
    assert (found["host"], found["stores"]["inventory"]) == (address(client), [0, 1])
    assert client.get("/hosts/inventory/x").json() == {"host": found["host"], "partition": None}
    assert client.get("/hosts/visits/x").status_code == 400
