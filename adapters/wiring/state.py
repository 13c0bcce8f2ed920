"""The state stores that tasks use while a flow runs."""

from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.adapters.settings import Settings
from eddyline.adapters.wiring.extras import extra
from eddyline.application.ports.codec import Codecs
from eddyline.application.ports.state_stores import StateStores


def state_stores(settings: Settings, codecs: Codecs) -> StateStores:
    """Return the state stores that the settings choose.

    Raises:
        MissingExtraError: The library of the extra `rocksdb` is not installed.
    """
    if settings.state_store == "memory":
        return MemoryStateStores()
    with extra("rocksdb"):
        from eddyline.adapters.rocksdb.state_store import RocksDBStateStores
    return RocksDBStateStores(codecs, settings.rocksdb_dir, settings.statestore_cache_max_bytes)
