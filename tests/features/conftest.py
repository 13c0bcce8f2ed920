"""Every scenario runs on every engine."""

import pytest

from adapters.cli.replay.in_memory import replay_in_memory
from tests.features.running import Scenario


@pytest.fixture(params=["memory", pytest.param("spark", marks=pytest.mark.spark)], autouse=True)
def engine(request: pytest.FixtureRequest) -> str:
    """The name of the engine; used by itself, so that every scenario comes once for each."""
    return str(request.param)


@pytest.fixture
def scenario(engine: str, request: pytest.FixtureRequest) -> Scenario:
    """A scenario on one of the engines."""
    if engine == "memory":
        return Scenario(replay_in_memory)
    replay = request.getfixturevalue("spark_replay")
    return Scenario(lambda case, topology, _codecs: replay([case], topology)[0])
