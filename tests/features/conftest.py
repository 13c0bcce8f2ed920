"""Runs every scenario on every engine, and defines the steps that all features share.

`make test` runs all of them in memory, on the other engines those that show what an engine itself does, and on the local engine
the first of each feature, too; `make test-slow` runs the rest.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest
from pytest_bdd import parsers, then, when
from pytest_bdd.parser import ScenarioTemplate
from pytest_bdd.scenario import scenario_wrapper_template_registry

from eddyline.testing import Scenario
from tests.features.in_memory import in_memory
from tests.features.on_spark import SharedQueries
from tests.features.on_the_local_engine import on_the_local_engine
from tests.features.recording import RecordedFlow, Recording, Results
from tests.features.reports import KINDS, set_aside
from tests.features.tables import Table, as_table

_OF_THE_ENGINE: Final = ("restarts", "unreadable value")
"""What steps are about that the engines do in ways of their own: state that outlives a process, and dead letters."""
_OF_THE_PROGRESS: Final = ("the answer includes every item", "with what has just arrived")
"""What steps of queries are about that engines do in ways of their own: which records the changelogs say that they include."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a scenario once for each engine.

    One that is tagged @spark runs only there, one that is tagged @served on the engines that write changelogs, and one that is
    tagged @services alone on none.
    """
    if metafunc.definition.get_closest_marker("served"):
        marks = [] if _has(scenario_wrapper_template_registry[metafunc.function], _OF_THE_PROGRESS) else [pytest.mark.slow]
        engines = [pytest.param("local"), pytest.param("spark", marks=[pytest.mark.spark, *marks])]
        metafunc.parametrize("engine", engines, indirect=True)
    elif metafunc.definition.get_closest_marker("spark"):
        metafunc.parametrize("engine", [pytest.param("spark", marks=pytest.mark.spark)], indirect=True)
    elif not metafunc.definition.get_closest_marker("services"):
        found = scenario_wrapper_template_registry[metafunc.function]
        about_engine = _has(found, _OF_THE_ENGINE)
        engines = [
            pytest.param("memory"),
            pytest.param("local", marks=[] if about_engine or _is_first(found) else [pytest.mark.slow]),
            pytest.param("spark", marks=[pytest.mark.spark, *([] if about_engine else [pytest.mark.slow])]),
        ]
        metafunc.parametrize("engine", engines, indirect=True)


def _is_first(scenario: ScenarioTemplate) -> bool:
    return scenario is next(iter(scenario.feature.scenarios.values()))


def _has(scenario: ScenarioTemplate, words: Sequence[str]) -> bool:
    return any(found in step.name for step in scenario.steps for found in words)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Move scenarios on Spark behind those in memory, within the positions of both, so that it is known which share a query."""
    folder = f"{Path(__file__).parent}{os.sep}"
    positions = [position for position, item in enumerate(items) if str(item.path).startswith(folder)]
    scenarios = sorted((items[position] for position in positions), key=lambda item: item.get_closest_marker("spark") is not None)
    for position, item in zip(positions, scenarios, strict=True):
        items[position] = item


@pytest.fixture(autouse=True)
def engine(request: pytest.FixtureRequest) -> str | None:
    """Return the name of the engine, None for a scenario that runs on none."""
    return getattr(request, "param", None)


@pytest.fixture(scope="session")
def shared_queries() -> SharedQueries:
    return SharedQueries()


@pytest.fixture
def flow(engine: str, shared_queries: SharedQueries, request: pytest.FixtureRequest) -> RecordedFlow:
    """Return the flow of the scenario, which runs on one of the engines."""

    def memory(recording: Recording) -> Results:
        shared_queries.expect(recording)
        return in_memory(recording)

    def spark(recording: Recording) -> Results:
        return shared_queries.results(recording, request.getfixturevalue("spark"))

    return RecordedFlow({"memory": memory, "local": on_the_local_engine, "spark": spark}[engine])


@pytest.fixture
def scenario(flow: RecordedFlow) -> Scenario:
    """Return the flow as what steps need: tables of records that arrive and of records that are emitted."""
    return Scenario(flow)


@when("the flow restarts")
def flow_restarts(flow: RecordedFlow) -> None:
    flow.restart()


@when(parsers.parse("the wall clock advances by {duration}"))
def wall_clock_advances(scenario: Scenario, duration: str) -> None:
    scenario.advance_wall_clock(duration)


@when(parsers.parse("the unreadable value '{text}' arrives in topic '{topic}' for {key}"))
def unreadable_value(flow: RecordedFlow, text: str, topic: str, key: str) -> None:
    r"""Bytes are written as \xff."""
    flow.pipe_bytes(topic, key, text.encode().decode("unicode_escape").encode("latin-1"))


@when(parsers.parse("these {kind} are reported"))
def are_reported(flow: RecordedFlow, kind: str, datatable: Table) -> None:
    columns, *rows = datatable
    for cells in rows:
        flow.pipe_bytes(KINDS[kind].topic, *KINDS[kind].report(columns, cells))


@then(parsers.parse("these {kind} are set aside"))
def are_set_aside(flow: RecordedFlow, kind: str, datatable: Table) -> None:
    assert set_aside(KINDS[kind], flow.results.dead_letters, datatable[0]) == datatable


@then("the dead letters are")
def dead_letters(flow: RecordedFlow, datatable: Table) -> None:
    assert as_table(flow.results.dead_letters, datatable) == datatable
