"""The OpenAPI description has the types of each store, and the server does what it says."""

import json
import re
from typing import Any

import httpx
import pytest

from eddyline.adapters.web.options import ServerOptions
from eddyline.adapters.web.server import QueryServer
from tests.fixtures.query_servers import serving
from tests.fixtures.state_queries import example_queries


@pytest.fixture(scope="module")
def description(server: QueryServer) -> Any:
    return httpx.get(f"{server.url}/openapi.json", trust_env=False).json()


def test_every_reference_is_defined(description: Any) -> None:
    used = set(re.findall(r'"#/components/schemas/([^"]+)"', json.dumps(description)))
    assert used <= set(description["components"]["schemas"])
    assert {"Problem", "Stock", "InventoryRow"} <= used


def test_rows_have_the_types_of_the_store(description: Any) -> None:
    schemas = description["components"]["schemas"]
    assert schemas["VisitsRow"]["properties"]["key"]["type"] == "integer"
    assert schemas["PricesRow"]["properties"]["key"]["format"] == "date"
    assert schemas["InventoryRow"]["properties"]["value"]["$ref"] == "#/components/schemas/Stock"
    assert set(schemas["Stock"]["properties"]) == {"on_hand", "unit_price"}
    assert "window" in schemas["StatsRow"]["required"]


def test_a_store_has_the_queries_of_its_kind(description: Any) -> None:
    paths = {path.rpartition("/stores/")[2] for path in description["paths"]}
    assert {"stats/windows/{key}", "visits/windows/{key}", "prices/versions/{key}", "inventory/prefix/{prefix}"} <= paths
    assert not {"inventory/windows/{key}", "inventory/versions/{key}", "visits/prefix/{prefix}"} & paths


def test_credentials_are_described() -> None:
    with serving(example_queries(), ServerOptions(port=0, token="t", username="u", password="p")) as server:  # noqa: S106
        headers = {"Authorization": "Bearer t"}
        described = httpx.get(f"{server.url}/openapi.json", headers=headers, trust_env=False).json()
    assert set(described["components"]["securitySchemes"]) == {"bearer", "basic"}
    assert described["security"] == [{"bearer": []}, {"basic": []}]
