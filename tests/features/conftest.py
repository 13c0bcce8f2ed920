"""Every scenario runs on every engine."""

import pytest

from adapters.cli.replay.in_memory import replay_in_memory
from tests.features.running import Replay, Scenario

ENGINES: dict[str, Replay] = {"memory": replay_in_memory}


@pytest.fixture(params=list(ENGINES), autouse=True)
def engine(request: pytest.FixtureRequest) -> str:
    """The name of the engine; used by itself, so that every scenario comes once for each."""
    return str(request.param)


@pytest.fixture
def scenario(engine: str) -> Scenario:
    """A scenario on one of the engines."""
    return Scenario(ENGINES[engine])
