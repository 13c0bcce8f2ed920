"""The memory engine that tests of flows use: it passes records through JSON unless other codecs are given."""

from collections.abc import Mapping

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory import engine
from eddyline.application.ports.codec import Codecs
from eddyline.application.ports.state_stores import StateStores
from eddyline.application.topology import Topology
from eddyline.application.topology.exception_handlers import ExceptionHandler
from eddyline.application.topology.types import Emit


class MemoryEngine(engine.MemoryEngine):
    """Runs a topology record by record, to test flows.

    Records and the values in stores are encoded and decoded as in a run: a function that returns what no codec can write fails
    in the test already.

    Args:
        topology: the topology to run.
        partitions: the number of partitions of all source topics, or of each by name.
        emit: whether tables forward every update, or only the last one of each key at `commit()`; by default as the topology's
            flow says, or else every update.
        stores: creates the state stores; in memory by default.
        codecs: encode and decode records and state; JSON by default, as in a run.
        wall_clock_ms: the wall-clock time at the start, in ms since the epoch; `advance_wall_clock` changes it.
        processing_exception_handler: how to respond to exceptions of the flow; after those that do not end the run, `failures`
            has the context, the exception and the response.
        production_exception_handler: how to respond to records that a codec cannot write, and to exceptions in partitioners;
            likewise.
    """

    def __init__(
        self,
        topology: Topology,
        *,
        partitions: int | Mapping[str, int] = 1,
        emit: Emit | None = None,
        stores: StateStores | None = None,
        codecs: Codecs | None = None,
        wall_clock_ms: int = 0,
        processing_exception_handler: ExceptionHandler = "fail",
        production_exception_handler: ExceptionHandler = "fail",
    ) -> None:
        super().__init__(
            topology,
            partitions=partitions,
            emit=emit,
            stores=stores,
            codecs=codecs or JsonCodecs(),
            wall_clock_ms=wall_clock_ms,
            processing_exception_handler=processing_exception_handler,
            production_exception_handler=production_exception_handler,
        )
