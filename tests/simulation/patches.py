"""Puts virtual time, simulated clients and small limits in the place of the real ones, while a schedule runs."""

import importlib
import logging
import pkgutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from eddyline.adapters import kafka, local
from eddyline.adapters.kafka import event_log, event_sink
from eddyline.adapters.kafka.clients import blocking_calls, factory
from eddyline.adapters.kafka.clients.pool import ClientPool
from eddyline.adapters.kafka.groups import committed_offsets
from eddyline.adapters.kafka.log import admins
from eddyline.adapters.spark.state import chunks, indexed_chunks
from eddyline.adapters.spark.worker import cache, stateless
from tests.simulation.admin_client import AdminClient
from tests.simulation.clients import Consumer, Producer
from tests.simulation.network import Network
from tests.simulation.scheduler import Scheduler, VirtualTime

for package in (kafka, local):  # a run imports some modules only when it needs them, which would be after they are patched
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        importlib.import_module(found.name)

_POOLS = [
    found
    for module in (event_log, event_sink, committed_offsets, admins)
    for found in vars(module).values()
    if isinstance(found, ClientPool)
]


@contextmanager
def simulated(scheduler: Scheduler, network: Network) -> Iterator[None]:
    """Run the code of the adapters on simulated clients in virtual time."""
    caches = cache.WorkerCaches()
    clock = VirtualTime(scheduler)
    disabled = logging.root.manager.disable
    with ExitStack() as stack:

        def put(target: Any, name: str, value: Any) -> None:
            stack.enter_context(patch.object(target, name, value))

        for module in _clocked():
            put(module, "time", clock)
        for name, client in (("Producer", Producer), ("Consumer", Consumer), ("AdminClient", AdminClient)):
            put(factory, name, partial(client, network))
        put(blocking_calls, "threading", SimpleNamespace(Thread=partial(_Thread, scheduler), Timer=_Timer))
        put(chunks, "os", SimpleNamespace(urandom=scheduler.random.randbytes))
        put(indexed_chunks, "os", SimpleNamespace(urandom=scheduler.random.randbytes))
        put(cache, "ChunkedState", partial(chunks.ChunkedState, min_rewritten=1, compact_at=4))
        put(cache, "IndexedChunkedState", partial(indexed_chunks.IndexedChunkedState, min_rewritten=1, compact_at=4))
        for module in (cache, stateless):
            put(module, "CACHES", caches)
        for pool in _POOLS:
            put(pool, "_close", _close)
        _forget_clients()
        logging.disable(logging.CRITICAL)
        try:
            yield
        finally:
            logging.disable(disabled)
            _forget_clients()


def _clocked() -> list[Any]:
    """Return the modules that read clocks or sleep."""
    loaded = (module for name, module in sorted(sys.modules.items()) if name.startswith("eddyline."))
    return [module for module in loaded if getattr(module, "time", None) is time]


def _close(client: Any) -> None:
    getattr(client, "close", lambda: None)()


def _forget_clients() -> None:
    for pool in _POOLS:
        pool._idle.clear()  # noqa: SLF001 - closing them would send requests


class _Thread:
    """What the module `threading` offers for calls that may never return."""

    def __init__(self, scheduler: Scheduler, target: Callable[[], None], **_names: object) -> None:
        self._scheduler, self._target = scheduler, target

    def start(self) -> None:
        process = self._scheduler.process
        if process is None:
            self._target()
        else:
            self._thread = process.spawn(self._target)

    def join(self, timeout: float) -> None:
        if self._scheduler.process is not None:
            self._thread.ended.wait(timeout)

    def is_alive(self) -> bool:
        return self._scheduler.process is not None and not self._thread.ended.is_set


class _Timer:
    """A timer that never fires: it only disposes of clients."""

    def __init__(self, *_arguments: object, **_more: object) -> None:
        self.name, self.daemon = "", True

    def start(self) -> None:
        """Do nothing."""
