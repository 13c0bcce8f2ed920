import pytest

from tests.operations.dead_letters import DeadLetterSetup


@pytest.fixture
def setup() -> DeadLetterSetup:
    return DeadLetterSetup()
