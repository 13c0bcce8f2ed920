import json
import urllib.request
from collections.abc import Callable

import pytest

from eddyline.adapters.services.registry import Registry


def _call(url: str, body: object = None) -> object:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, headers={"Content-Type": "application/json"})  # noqa: S310 - a local address
    with urllib.request.urlopen(request, timeout=10) as response:  # noqa: S310 - likewise
        return json.loads(response.read())


def test_the_registry_and_its_management_listen_on_loopback_only(
    schema_registry: Registry, foreign_listeners: Callable[[int], list[str]]
) -> None:
    assert isinstance(_call(f"{schema_registry.url}/subjects"), list)
    assert foreign_listeners(schema_registry.pid) == []


@pytest.mark.slow
def test_schemas_survive_a_restart(own_registry: Registry) -> None:
    own_registry.start()
    _call(f"{own_registry.url}/subjects/trades-value/versions", {"schema": json.dumps("string")})
    own_registry.stop()
    own_registry.start()
    assert _call(f"{own_registry.url}/subjects") == ["trades-value"]
