"""The verbs that need no memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from eddyline.application.operators.context import OperatorContext, StreamForward
    from eddyline.application.topology.nodes import (
        BranchNode,
        FilterNode,
        FlatMapNode,
        FlatMapValuesNode,
        MapNode,
        MapValuesNode,
        MergeNode,
        PeekNode,
        SplitNode,
    )
    from eddyline.application.topology.records import Headers


def filter_records(node: FilterNode, _context: OperatorContext, forward: StreamForward) -> StreamForward:
    """Forwards what the predicate holds for."""
    predicate = node.predicate

    def process(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        if predicate(key, value):
            forward(key, value, timestamp, headers)

    return process


def map_records(node: MapNode, _context: OperatorContext, forward: StreamForward) -> StreamForward:
    """Forwards the pair that the mapper gives."""
    mapper = node.mapper

    def process(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        new_key, new_value = mapper(key, value)
        forward(new_key, new_value, timestamp, headers)

    return process


def map_values(node: MapValuesNode, _context: OperatorContext, forward: StreamForward) -> StreamForward:
    """Forwards the key with the value that the mapper gives."""
    mapper = node.mapper

    def process(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        forward(key, mapper(value), timestamp, headers)

    def process_with_key(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        forward(key, mapper(key, value), timestamp, headers)

    return process_with_key if node.with_key else process


def flat_map(node: FlatMapNode, _context: OperatorContext, forward: StreamForward) -> StreamForward:
    """Forwards each pair that the mapper gives."""
    mapper = node.mapper

    def process(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        for new_key, new_value in mapper(key, value):
            forward(new_key, new_value, timestamp, headers)

    return process


def flat_map_values(node: FlatMapValuesNode, _context: OperatorContext, forward: StreamForward) -> StreamForward:
    """Forwards the key with each value that the mapper gives."""
    mapper = node.mapper

    def process(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        for new_value in mapper(value):
            forward(key, new_value, timestamp, headers)

    def process_with_key(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        for new_value in mapper(key, value):
            forward(key, new_value, timestamp, headers)

    return process_with_key if node.with_key else process


def peek(node: PeekNode, _context: OperatorContext, forward: StreamForward) -> StreamForward:
    """Shows key and value to the action, then forwards the record."""
    action = node.action

    def process(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        action(key, value)
        forward(key, value, timestamp, headers)

    return process


def pass_on(_node: MergeNode | BranchNode, _context: OperatorContext, forward: StreamForward) -> StreamForward:
    """Forwards everything: a merge, and the way out of a split."""
    return forward


def split(node: SplitNode, _context: OperatorContext, branches: dict[int, StreamForward]) -> StreamForward:
    """Forwards to the first branch whose predicate holds; `branches` are the ways out by their index."""
    ways = tuple((predicate, branches[index]) for index, predicate in enumerate(node.predicates))

    def process(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        for predicate, forward in ways:
            if predicate is None or predicate(key, value):
                forward(key, value, timestamp, headers)
                return

    return process
