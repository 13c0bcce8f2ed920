"""The Processor API: sources, processors, stores and sinks that are connected by name."""

import re
from collections.abc import Callable, Sequence
from typing import Any

from eddyline.application.topology.graph import Graph
from eddyline.application.topology.handles.arguments import checked, forwarded_types
from eddyline.application.topology.handles.guidance import Guided
from eddyline.application.topology.handles.source_options import idle_timeout_ms, source_fields
from eddyline.application.topology.handles.topic_choice import takes_context
from eddyline.application.topology.nodes import Partitioner, ProcessorNode, SinkNode, SourceNode
from eddyline.application.topology.processor import Processor
from eddyline.application.topology.records import RecordContext
from eddyline.application.topology.stores import StoreSpec
from eddyline.application.topology.timestamps import TimestampExtractor
from eddyline.application.topology.types import UNKNOWN
from eddyline.application.topology.windows import Duration


class ProcessorApi(Guided):
    """The methods of the Processor API; they can be combined with streams and tables."""

    _ways = ((".stream(…)", "Stream"), (".table(…)", "Table"))
    _graph: Graph

    def add_source(
        self,
        name: str,
        topic: str | re.Pattern[str],
        *,
        key: Any,
        value: Any,
        timestamp: TimestampExtractor | None = None,
        idle_timeout: Duration | None = None,
    ) -> None:
        """Add a source node, which reads a topic, or all topics that match a pattern.

        Args:
            name: The name of the node.
            topic: The topic, or a pattern, as in `stream`.
            key: The type of its keys, which the topic's codec decodes.
            value: The type of its values, which the topic's codec decodes.
            timestamp: Returns the event time of a record in ms since the epoch, by default the timestamp of the log.
            idle_timeout: How long no record may come before stream time follows the wall clock, as in `stream`.

        Raises:
            TopologyError: If the name is invalid or already used, or the idle timeout is less than 1 ms.
        """
        options: dict[str, Any] = {"timestamp_extractor": timestamp, "idle_timeout_ms": idle_timeout_ms(topic, idle_timeout)}
        self._graph.add(SourceNode(**source_fields(name, topic), key_type=key, value_type=value, **options))

    def add_state_store(self, spec: StoreSpec) -> None:
        """Add a state store, which processors are connected to by name.

        Args:
            spec: What `key_value_store`, `window_store`, `session_store` or `custom_store` return.

        Raises:
            TopologyError: If the name of the store is invalid or already used.
        """
        self._graph.add_store(
            checked(spec, StoreSpec, "the state store to add", "pass what key_value_store(…) or another one returns")
        )

    def add_processor(
        self,
        name: str,
        supplier: Callable[[], Processor[Any, Any, Any, Any]],
        *,
        parents: Sequence[str],
        stores: Sequence[str] = (),
        key: Any = UNKNOWN,
        value: Any = UNKNOWN,
    ) -> None:
        """Add a processor node.

        Args:
            name: The name of the node.
            supplier: Creates the processor of each task; a `ConnectedStoreProvider` brings its stores along.
            parents: The names of the nodes whose records it processes.
            stores: The names of the stores that it uses.
            key: The type of the keys that it forwards, by default as its class says, as in `Stream.process`.
            value: The type of the values that it forwards, likewise.

        Raises:
            TopologyError: If the name is invalid or already used, or a parent or store does not exist.
        """
        key_type, value_type = forwarded_types(supplier)
        self._graph.add(
            ProcessorNode(
                name=name,
                parents=self._graph.existing_nodes(name, parents),
                stores=self._graph.connected_stores(name, stores, supplier),
                supplier=supplier,
                key_type=key_type if key is UNKNOWN else key,
                value_type=value_type if value is UNKNOWN else value,
            )
        )

    def add_sink(
        self,
        name: str,
        topic: str | Callable[[Any, Any], str] | Callable[[Any, Any, RecordContext], str],
        *,
        parents: Sequence[str],
        partitioner: Partitioner | None = None,
    ) -> None:
        """Add a sink node, which writes to a topic.

        Args:
            name: The name of the node.
            topic: The topic, or a function of (key, value) or (key, value, context) that returns the topic of each record.
            parents: The names of the nodes whose records it writes.
            partitioner: Returns the partitions for key, value and number of partitions, as in `Stream.to`.

        Raises:
            TopologyError: If the name is invalid or already used, or a parent does not exist.
        """
        found = self._graph.existing_nodes(name, parents)
        first = self._graph.node(found[0])
        self._graph.add(
            SinkNode(
                name=name,
                parents=found,
                topic=topic,
                with_context=takes_context(topic),
                partitioner=partitioner,
                key_type=first.key_type,
                value_type=first.value_type,
            )
        )
