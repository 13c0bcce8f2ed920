"""What the tests of a flow need: an engine without a cluster, whose clock the test advances, and records as tables of text."""

from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.scenario.columns import Columns, TextTable
from eddyline.adapters.scenario.errors import TextTableError
from eddyline.adapters.scenario.scenario import OutputRecord, Scenario, ScenarioEngine
from eddyline.adapters.scenario.times import milliseconds
from eddyline.adapters.wiring.testing import MemoryEngine
from eddyline.application.operators.output import Dropped, Output
from eddyline.application.runtime.progress.store_rows import StoreRow

__all__ = [
    "Columns",
    "Dropped",
    "MemoryEngine",
    "MemoryEventLog",
    "Output",
    "OutputRecord",
    "Scenario",
    "ScenarioEngine",
    "StoreRow",
    "TextTable",
    "TextTableError",
    "milliseconds",
]
