"""Names the options of a command in errors of the code that it calls, which knows them as parameters."""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from eddyline.adapters.cli.errors import UsageError
from eddyline.application.samples.simulation import SimulationError


@contextmanager
def named_options(parameters: Iterable[str]) -> Iterator[None]:
    """Raise UsageError instead of SimulationError, with `--tick-ms` instead of `tick_ms`."""
    names = re.compile(rf"\b({'|'.join(sorted(map(re.escape, parameters), key=len, reverse=True))})(?= is | are | and | above )")
    try:
        yield
    except SimulationError as error:
        raise UsageError(names.sub(lambda found: f"--{found[1].replace('_', '-')}", str(error))) from error
