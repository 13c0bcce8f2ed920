"""The partitions of the records that are piped into the memory engine, and of those that pass between its tasks."""

import json
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, get_args

from eddyline.application.operators.output import Output
from eddyline.application.ports.codec import Codecs
from eddyline.application.runtime.plan.encoding import KeyEncoder
from eddyline.application.runtime.plan.partitioner import chosen_partitions, partition_for
from eddyline.application.runtime.plan.topic_types import codec_type
from eddyline.application.topology.forms import canonical_key, form_of
from eddyline.application.topology.nodes import Partitioner
from eddyline.application.topology.windows import Windowed


class Partitioning:
    """Chooses partitions.

    Args:
        partitions: the number of partitions of each topic that the topology reads; topics may be added later.
        global_topics: the topics of global tables, of which every task reads all partitions.
        codecs: encode keys that are neither str nor bytes; if there are none, the JSON of their form chooses the partition.
    """

    def __init__(self, partitions: Mapping[str, int], global_topics: AbstractSet[str], codecs: Codecs | None) -> None:
        self._partitions, self._global_topics, self._codecs = partitions, global_topics, codecs
        self._round_robin: Counter[str] = Counter()
        self._encoders: dict[str, Callable[[Any], bytes | None]] = {}

    def partition_of(self, topic: str, key: Any, key_type: object) -> int:
        """Return the partition of a key, as Kafka's default partitioner chooses it; records without a key take turns."""
        count = self._partitions[topic]
        if count == 1 or topic in self._global_topics:
            return 0
        if key is None:
            self._round_robin[topic] += 1
            return (self._round_robin[topic] - 1) % count
        return partition_for(self._key_bytes(topic, key, key_type), count)

    def of_output(self, output: Output) -> int:
        """Return the partition of an output; that of a result with a windowed key is chosen by the key inside, as in a run."""
        key, key_type = output.key, output.sink.key_type
        if isinstance(key, Windowed) and not output.internal:
            key, key_type = key.key, get_args(key_type)[0]
        return self.partition_of(output.topic, key, key_type)

    def check(self, topic: str, partition: int) -> None:
        """Raise LookupError if the topic does not have the partition."""
        count = self._partitions[topic]
        if not 0 <= partition < count:
            msg = f"topic '{topic}' has no partition {partition}; choose one of: {', '.join(map(str, range(count)))}"
            raise LookupError(msg)

    def chosen(self, output: Output, partitioner: Partitioner) -> Collection[int | None]:
        """Return the partitions that the partitioner of an output's sink chooses, with None for the default one.

        A topic that the topology does not read has one partition here.
        """
        topic, key, value = output[:3]
        chosen = chosen_partitions(partitioner, key, value, topic, self._partitions.get(topic, 1))
        return (None,) if chosen is None else tuple(chosen)

    def _key_bytes(self, topic: str, key: Any, key_type: object) -> bytes:
        if isinstance(key, str):
            return key.encode()
        if isinstance(key, bytes):
            return key
        encode = self._encoders.get(topic)
        if encode is None:
            encode = self._encoders[topic] = self._encoder(topic, codec_type(key_type))
        return encode(key) or b""

    def _encoder(self, topic: str, key_type: Any) -> Callable[[Any], bytes | None]:
        if self._codecs is None:
            form, canonical = form_of(key_type), canonical_key(key_type)
            return lambda key: json.dumps(form.dump(canonical(key)), ensure_ascii=False, separators=(",", ":")).encode()
        return KeyEncoder(self._codecs.for_key(topic, key_type), key_type).encode
