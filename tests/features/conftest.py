"""Every scenario runs on every engine: all in memory first, so that Spark knows which can share a query."""

from pathlib import Path

import pytest
from pytest_bdd import parsers, then, when

from tests.features.in_memory import in_memory
from tests.features.on_spark import Stories
from tests.features.running import Document, Scenario, Story, Table, rows


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Puts the scenarios on Spark behind those in memory, in the places that both have."""
    places = [place for place, item in enumerate(items) if Path(__file__).parent in item.path.parents]
    scenarios = sorted((items[place] for place in places), key=lambda item: item.get_closest_marker("spark") is not None)
    for place, item in zip(places, scenarios, strict=True):
        items[place] = item


@pytest.fixture(params=["memory", pytest.param("spark", marks=pytest.mark.spark)], autouse=True)
def engine(request: pytest.FixtureRequest) -> str:
    """The name of the engine; used by itself, so that every scenario comes once for each."""
    return str(request.param)


@pytest.fixture(scope="session")
def stories() -> Stories:
    """The stories of all scenarios."""
    return Stories()


@pytest.fixture
def scenario(engine: str, stories: Stories, request: pytest.FixtureRequest) -> Scenario:
    """A scenario on one of the engines."""
    if engine == "memory":

        def told(story: Story) -> Document:
            document = in_memory(story)
            stories.expect(story)
            return document

        return Scenario(told)
    spark = request.getfixturevalue("spark")
    return Scenario(lambda story: stories.told(story, spark))


@when("the flow is restarted")
def restarted(scenario: Scenario) -> None:
    scenario.flow_restarts()


@when(parsers.parse('"{text}" comes into {topic} under {key}'))
def comes_as_it_stands(scenario: Scenario, text: str, topic: str, key: str) -> None:
    r"""Bytes are written as \xff."""
    scenario.bytes_arrive(topic, key, text.encode().decode("unicode_escape").encode("latin-1"), 0)


@then("these dead letters are kept")
def dead_letters(scenario: Scenario, datatable: Table) -> None:
    assert scenario.dead_letters() == rows(datatable)
