"""Several instances: which one holds a key, and requests that are passed on to it, once."""

import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Any

import httpx
import pytest

from eddyline.adapters.web.options import ServerOptions
from eddyline.application.queries.hosts import Hosts, InstanceMetadata, KeyMetadata
from tests.fixtures.query_servers import serving
from tests.fixtures.state_queries import MemoryStateQueries, example_queries


class Assigned(Hosts):
    """Hosts by key, which all instances share; other keys are on the instance that is asked."""

    def __init__(self, host: str, by_key: Mapping[Any, str]) -> None:
        self._host, self._by_key = host, by_key

    @property
    def this_host(self) -> str:
        return self._host

    def instances(self) -> Sequence[InstanceMetadata]:
        return [InstanceMetadata(host, {"inventory": [0]}) for host in sorted({self._host, *self._by_key.values()})]

    def of_key(self, store: str, key: Any) -> KeyMetadata:
        del store
        return KeyMetadata(self._by_key.get(key, self._host), 0)


Instance = tuple[httpx.Client, MemoryStateQueries]


@pytest.fixture
def by_key() -> dict[Any, str]:
    return {}


@pytest.fixture(params=[{}, {"token": "sesame"}], ids=["open", "token"])
def instances(request: pytest.FixtureRequest, by_key: dict[Any, str]) -> Iterator[list[Instance]]:
    headers = {"Authorization": f"Bearer {request.param['token']}"} if request.param else {}
    with ExitStack() as stack:
        found = []
        for _ in range(2):
            queries = example_queries()
            options = ServerOptions(port=0, **request.param)
            server = stack.enter_context(serving(queries, options, lambda host: Assigned(host, by_key)))
            client = httpx.Client(base_url=server.url, headers=headers, trust_env=False)
            found.append((stack.enter_context(client), queries))
        yield found


def host(instance: Instance) -> str:
    return instance[0].base_url.netloc.decode()


@pytest.mark.parametrize(
    ("path", "key"),
    [
        ("/stores/inventory/keys/item-01", "item-01"),
        ("/stores/inventory/keys/a%2Fb%3Fc", "a/b?c"),
        ("/stores/inventory/keys?key=item-01", "item-01"),
        ("/stores/stats/windows/IBM?from=11&to=19", "IBM"),
    ],
)
def test_a_key_of_another_instance_is_answered_by_it(
    instances: list[Instance], by_key: dict[Any, str], path: str, key: str
) -> None:
    asked, holder = instances
    by_key[key] = host(holder)
    here, there = asked[0].get(path), holder[0].get(path)
    assert (here.status_code, here.json()) == (200, there.json())
    assert here.json()["rows"]
    assert asked[1].asked == []


def test_problems_of_the_other_instance_are_passed_on(instances: list[Instance], by_key: dict[Any, str]) -> None:
    by_key["nope"] = host(instances[1])
    answer = instances[0][0].get("/stores/inventory/keys/nope")
    assert (answer.status_code, answer.headers["content-type"]) == (404, "application/problem+json")


def test_a_request_is_passed_on_only_once(instances: list[Instance], by_key: dict[Any, str]) -> None:
    first, second = instances
    by_key["item-01"] = "127.0.0.1:1"
    passed_on = second[0].get("/stores/inventory/keys/item-01", headers={"Eddyline-Forwarded": "1"})
    assert (passed_on.status_code, passed_on.json()["type"]) == (421, "urn:eddyline:problem:misdirected")
    assert first[1].asked == second[1].asked == []


def test_an_instance_that_does_not_answer_is_named(instances: list[Instance], by_key: dict[Any, str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    by_key["item-01"] = f"127.0.0.1:{port}"
    answer = instances[0][0].get("/stores/inventory/keys/item-01")
    assert answer.status_code == 502
    assert f"instance '127.0.0.1:{port}', which holds the key, does not answer" in answer.json()["detail"]


def test_keys_of_several_instances_are_asked_for_one_by_one(instances: list[Instance], by_key: dict[Any, str]) -> None:
    by_key["item-01"] = host(instances[1])
    answer = instances[0][0].get("/stores/inventory/keys?key=item-01&key=item-02")
    assert (answer.status_code, answer.json()["choices"]) == (400, sorted(host(instance) for instance in instances))


def test_events_are_followed_where_the_key_is(instances: list[Instance], by_key: dict[Any, str]) -> None:
    by_key["item-01"] = host(instances[1])
    answer = instances[0][0].get("/stores/inventory/events?key=item-01")
    assert (answer.status_code, answer.json()["choices"]) == (421, [host(instances[1])])


def test_the_instances_and_the_one_of_a_key(instances: list[Instance], by_key: dict[Any, str]) -> None:
    by_key["item-01"] = host(instances[1])
    client = instances[0][0]
    assert [found["host"] for found in client.get("/hosts").json()["instances"]] == sorted(map(host, instances))
    assert client.get("/hosts/inventory/item-01").json() == {"host": host(instances[1]), "partition": 0}
    assert client.get("/hosts/inventory/item-02").json()["host"] == host(instances[0])
    assert client.get("/hosts/visits/x").status_code == 400


def test_a_single_instance_holds_all_partitions(client: httpx.Client) -> None:
    (found,) = client.get("/hosts").json()["instances"]
    assert (found["host"], found["stores"]["inventory"]) == (client.base_url.netloc.decode(), [0, 1])
    assert client.get("/hosts/inventory/x").json() == {"host": found["host"], "partition": None}
