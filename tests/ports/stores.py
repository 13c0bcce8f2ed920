"""How the tests of stores name what creates them."""

from collections.abc import Callable

from eddyline.application.ports.state_stores import StateStores

NewStores = Callable[[], StateStores]
"""Creates the stores of one adapter, empty at each call."""
