"""What the tests of a flow need: an engine without a cluster, whose clock the test moves."""

from eddyline.adapters.memory.engine import MemoryEngine
from eddyline.application.operators.output import Dropped, Output
from eddyline.application.runtime.store_rows import StoreRow

__all__ = ["Dropped", "MemoryEngine", "Output", "StoreRow"]
