"""Fixtures and settings of all tests."""

import os

import hypothesis
from httpx._config import DEFAULT_TIMEOUT_CONFIG

from tests.fixtures.examples import FEW

pytest_plugins = [
    "tests.fixtures.class_archive",
    "tests.fixtures.commands",
    "tests.fixtures.core",
    "tests.fixtures.distribution",
    "tests.fixtures.garbage_collection",
    "tests.fixtures.quick_disk",
    "tests.fixtures.replay",
    "tests.fixtures.services",
    "tests.fixtures.spark",
    "tests.fixtures.temporary_files",
]

hypothesis.settings.register_profile(
    "many",
    deadline=None,  # other processes may slow down any test
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.register_profile(FEW, hypothesis.settings.get_profile("many"), max_examples=25)
hypothesis.settings.load_profile(FEW)
hypothesis.settings.register_profile(
    "mutants",  # the same examples in every run, and no shrinking of those that fail
    hypothesis.settings.get_profile("ci"),
    phases=(hypothesis.Phase.explicit, hypothesis.Phase.generate),
)

# Servers of tests answer everyone on this machine; tests of the generated token set this to true.
os.environ["EDDYLINE_SERVER_GENERATE_TOKEN"] = "false"  # noqa: S105 - no secret

# On a busy machine a server may take its time; a client that waits for nothing is ended by the time limit of its test.
for _phase in ("connect", "read", "write", "pool"):
    setattr(DEFAULT_TIMEOUT_CONFIG, _phase, 120.0)
