"""Adds joins to a graph: their nodes, stores and repartitions."""

from eddyline.application.topology.joins.foreign_key import add_foreign_key_join
from eddyline.application.topology.joins.join_spec import JoinSpec
from eddyline.application.topology.joins.stream_joined import StreamJoined, stream_joined
from eddyline.application.topology.joins.stream_stream import add_stream_stream_join
from eddyline.application.topology.joins.stream_table import add_stream_global_table_join, add_stream_table_join
from eddyline.application.topology.joins.table_table import add_table_table_join

__all__ = [
    "JoinSpec",
    "StreamJoined",
    "add_foreign_key_join",
    "add_stream_global_table_join",
    "add_stream_stream_join",
    "add_stream_table_join",
    "add_table_table_join",
    "stream_joined",
]
