"""Fixtures and settings of all tests."""

import hypothesis

pytest_plugins = ["tests.fixtures.commands", "tests.fixtures.replay", "tests.fixtures.services", "tests.fixtures.spark"]

hypothesis.settings.register_profile("shared-machine", deadline=None)
hypothesis.settings.load_profile("shared-machine")
