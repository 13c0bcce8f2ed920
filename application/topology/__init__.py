"""What the user says: streams, tables and windows, as frozen nodes that are checked when the topology is built."""

from application.topology.builder import TopologyBuilder
from application.topology.errors import TopologyError
from application.topology.records import RecordMetadata, SourceRecord
from application.topology.stream import Stream
from application.topology.table import Table
from application.topology.topology import Topology
from application.topology.windows import Window, Windowed, hopping, tumbling

__all__ = [
    "RecordMetadata",
    "SourceRecord",
    "Stream",
    "Table",
    "Topology",
    "TopologyBuilder",
    "TopologyError",
    "Window",
    "Windowed",
    "hopping",
    "tumbling",
]
