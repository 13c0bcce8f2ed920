"""The stateless operators of a stream that return a stream."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, cast, overload

from eddyline.application.topology.errors import TopologyError
from eddyline.application.topology.handles.arguments import merged_value_type, stream_of
from eddyline.application.topology.handles.guidance import ended
from eddyline.application.topology.handles.negation import negated
from eddyline.application.topology.handles.stream_base import StreamBase
from eddyline.application.topology.nodes import (
    FilterNode,
    FlatMapNode,
    FlatMapValuesNode,
    KeyMapper,
    MapNode,
    MapValuesNode,
    MergeNode,
    PeekNode,
)
from eddyline.application.topology.types import element_type, explicit_or, pair_types, returned_type

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from eddyline.application.topology.handles.stream import Stream

K = TypeVar("K")
V = TypeVar("V")
K2 = TypeVar("K2")
V2 = TypeVar("V2")


class StreamTransforms(StreamBase[K, V], Generic[K, V]):
    """The stateless operators of a stream with keys of type K and values of type V."""

    def filter(
        self, predicate: Callable[[K, V], bool], *, name: str | None = None, drop_reason: str | None = None
    ) -> Stream[K, V]:
        """Keep the records that match a predicate of key and value.

        Args:
            predicate: Whether to keep a record.
            name: The name of the operator.
            drop_reason: Why the other records are invalid, such as `null-value`. They are counted as dropped for this reason,
                and with `dead.letter.drops` they become dead letters. By default they are just not of interest.
        """
        return self._then(FilterNode(**self._fields("filter", name), predicate=predicate, drop_reason=drop_reason))

    def filter_not(self, predicate: Callable[[K, V], bool], *, name: str | None = None) -> Stream[K, V]:
        """Keep the records that do not match a predicate of key and value.

        Args:
            predicate: Whether to discard a record.
            name: The name of the operator.
        """
        return self.filter(negated(predicate), name=self._name("filter-not", name))

    def map(
        self,
        mapper: Callable[[K, V], tuple[K2, V2]],
        *,
        key: type[K2] | None = None,
        value: type[V2] | None = None,
        name: str | None = None,
    ) -> Stream[K2, V2]:
        """Transform each record into a record with a new key and value.

        Args:
            mapper: Returns the new key and value for key and value.
            key: The type of the new keys, by default from the annotated return type of the mapper.
            value: The type of the new values, likewise.
            name: The name of the operator.
        """
        key_type, value_type = pair_types(returned_type(mapper))
        types = {"key_type": explicit_or(key, key_type), "value_type": explicit_or(value, value_type)}
        return self._then(MapNode(**self._fields("map", name, **types), mapper=mapper), rekeyed=True)

    @overload
    def map_values(
        self,
        mapper: Callable[[V], V2],
        *,
        value: type[V2] | None = None,
        with_key: Literal[False] = False,
        name: str | None = None,
    ) -> Stream[K, V2]: ...
    @overload
    def map_values(
        self, mapper: Callable[[K, V], V2], *, value: type[V2] | None = None, with_key: Literal[True], name: str | None = None
    ) -> Stream[K, V2]: ...
    def map_values(
        self, mapper: Callable[..., Any], *, value: type[Any] | None = None, with_key: bool = False, name: str | None = None
    ) -> Stream[K, Any]:
        """Transform the value of each record; the key stays the same.

        Args:
            mapper: Returns the new value for a value.
            value: The type of the new values, by default the annotated return type of the mapper.
            with_key: Whether the mapper takes (key, value).
            name: The name of the operator.
        """
        fields = self._fields("map-values", name, value_type=explicit_or(value, returned_type(mapper)))
        return self._then(MapValuesNode(**fields, mapper=mapper, with_key=with_key))

    def flat_map(
        self,
        mapper: Callable[[K, V], Iterable[tuple[K2, V2]]],
        *,
        key: type[K2] | None = None,
        value: type[V2] | None = None,
        name: str | None = None,
    ) -> Stream[K2, V2]:
        """Transform each record into any number of records with new keys and values.

        Args:
            mapper: Returns the pairs of new key and value for key and value.
            key: The type of the new keys, by default from the annotated return type of the mapper.
            value: The type of the new values, likewise.
            name: The name of the operator.
        """
        key_type, value_type = pair_types(element_type(returned_type(mapper)))
        types = {"key_type": explicit_or(key, key_type), "value_type": explicit_or(value, value_type)}
        return self._then(FlatMapNode(**self._fields("flat-map", name, **types), mapper=mapper), rekeyed=True)

    @overload
    def flat_map_values(
        self,
        mapper: Callable[[V], Iterable[V2]],
        *,
        value: type[V2] | None = None,
        with_key: Literal[False] = False,
        name: str | None = None,
    ) -> Stream[K, V2]: ...
    @overload
    def flat_map_values(
        self,
        mapper: Callable[[K, V], Iterable[V2]],
        *,
        value: type[V2] | None = None,
        with_key: Literal[True],
        name: str | None = None,
    ) -> Stream[K, V2]: ...
    def flat_map_values(
        self,
        mapper: Callable[..., Iterable[Any]],
        *,
        value: type[Any] | None = None,
        with_key: bool = False,
        name: str | None = None,
    ) -> Stream[K, Any]:
        """Transform the value of each record into any number of values; the key stays the same.

        Args:
            mapper: Returns the new values for a value.
            value: The type of the new values, by default from the annotated return type of the mapper.
            with_key: Whether the mapper takes (key, value).
            name: The name of the operator.
        """
        fields = self._fields("flat-map-values", name, value_type=explicit_or(value, element_type(returned_type(mapper))))
        return self._then(FlatMapValuesNode(**fields, mapper=mapper, with_key=with_key))

    def select_key(
        self, selector: Callable[[K, V], K2], *, key: type[K2] | None = None, name: str | None = None
    ) -> Stream[K2, V]:
        """Set a new key for each record.

        Args:
            selector: Returns the new key for key and value.
            key: The type of the new keys, by default the annotated return type of the selector.
            name: The name of the operator.
        """
        fields = self._fields("select-key", name, key_type=explicit_or(key, returned_type(selector)))
        return self._then(MapNode(**fields, mapper=KeyMapper(selector)), rekeyed=True)

    def peek(self, action: Callable[[K, V], object], *, name: str | None = None) -> Stream[K, V]:
        """Call an action with key and value of each record, and return the same stream.

        Args:
            action: The action; after a failure it may be called again for the same record.
            name: The name of the operator.
        """
        return self._then(PeekNode(**self._fields("peek", name), action=action))

    def for_each(self, action: Callable[[K, V], object], *, name: str | None = None) -> None:
        """Call an action with key and value of each record, and end the stream.

        Args:
            action: The action; after a failure it may be called again for the same record.
            name: The name of the operator.
        """
        self.peek(action, name=self._name("for-each", name))
        return cast("None", ended("for_each", self._ref.origin))

    def merge(self, *others: Stream[K, V], name: str | None = None) -> Stream[K, V]:
        """Merge this stream with others; records are processed in the order in which they arrive.

        Args:
            others: The other streams, with keys of the same type; values of other types make a stream of their union.
            name: The name of the operator.

        Raises:
            TopologyError: If there are no other streams, or their types of keys are known and differ.
        """
        fields = self._fields("merge", name)
        if not others:
            msg = f"operator '{fields['name']}' merges a stream with nothing; pass one or more other streams"
            raise TopologyError(msg)
        what = f"operator '{fields['name']}' merges stream '{self._ref.origin}' with"
        refs = (self._ref, *(stream_of(self._graph, what, other) for other in others))
        fields["value_type"] = merged_value_type(what, refs)
        fields["parents"] = tuple(ref.node.name for ref in refs)
        return self._then(MergeNode(**fields), rekeyed=any(ref.rekeyed for ref in refs))
