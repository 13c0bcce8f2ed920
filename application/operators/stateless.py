"""Stateless operators of streams."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eddyline.application.operators.columns import each_of, mapper_of
from eddyline.application.topology.callables import NO_RESULTS, check_done, check_values, is_true, pair_of, refuse

if TYPE_CHECKING:
    from eddyline.application.operators.context import Forward, OperatorContext, StreamForward
    from eddyline.application.topology.nodes import (
        FilterNode,
        FlatMapNode,
        FlatMapValuesNode,
        MapNode,
        MapValuesNode,
        Node,
        PeekNode,
        SplitNode,
    )
    from eddyline.application.topology.records import Headers


def filter_records(node: FilterNode, context: OperatorContext, forward: StreamForward) -> StreamForward:
    """Forward the records that match the predicate; drop the others if they have a reason to be dropped."""
    name, predicate, reason, drop = node.name, node.predicate, node.drop_reason, context.drop

    def process(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        found: object = predicate(key, value)
        if found is True or (found is not False and is_true(found)):
            forward(key, value, timestamp, headers)

    def process_or_drop(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        found: object = predicate(key, value)
        if found is True or (found is not False and is_true(found)):
            forward(key, value, timestamp, headers)
        else:
            drop(name, reason or "", key, value, timestamp, headers)

    return process if reason is None else process_or_drop


def map_records(node: MapNode, _context: OperatorContext, forward: StreamForward) -> StreamForward:
    """Forward the key and value that the mapper returns."""
    mapper = mapper_of(node)

    def process(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        pair = mapper(key, value)
        new_key, new_value = pair if type(pair) is tuple and len(pair) == 2 else pair_of(pair)  # noqa: PLR2004 - a pair
        if type(new_key) in NO_RESULTS or type(new_value) in NO_RESULTS:
            check_values((new_key, new_value), "a mapper")
        forward(new_key, new_value, timestamp, headers)

    return process


def map_values(node: MapValuesNode, _context: OperatorContext, forward: StreamForward) -> StreamForward:
    """Forward the key with the value that the mapper returns."""
    mapper = mapper_of(node)

    def process(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        new_value = mapper(value)
        if type(new_value) in NO_RESULTS:
            refuse(new_value, "a mapper")
        forward(key, new_value, timestamp, headers)

    def process_with_key(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        new_value = mapper(key, value)
        if type(new_value) in NO_RESULTS:
            refuse(new_value, "a mapper")
        forward(key, new_value, timestamp, headers)

    return process_with_key if node.with_key else process


def flat_map(node: FlatMapNode, _context: OperatorContext, forward: StreamForward) -> StreamForward:
    """Forward every key and value that the mapper returns."""
    mapper = each_of(node)

    def process(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        for new_key, new_value in map(pair_of, mapper(key, value)):
            forward(new_key, new_value, timestamp, headers)

    return process


def flat_map_values(node: FlatMapValuesNode, _context: OperatorContext, forward: StreamForward) -> StreamForward:
    """Forward the key with every value that the mapper returns."""
    mapper = each_of(node)

    def process(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        for new_value in mapper(value):
            forward(key, new_value, timestamp, headers)

    def process_with_key(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        for new_value in mapper(key, value):
            forward(key, new_value, timestamp, headers)

    return process_with_key if node.with_key else process


def peek(node: PeekNode, _context: OperatorContext, forward: StreamForward) -> StreamForward:
    """Call the action with key and value, then forward the record."""
    action = node.action

    def process(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        done = action(key, value)
        if done is not None:
            check_done(done)
        forward(key, value, timestamp, headers)

    return process


def forward_all(_node: Node, _context: OperatorContext, forward: Forward) -> Forward:
    """Forward everything: a merge, a branch of a split, or a cogroup."""
    return forward


def split(node: SplitNode, _context: OperatorContext, branches: dict[int, StreamForward]) -> StreamForward:
    """Forward each record to the first branch whose predicate matches; `branches` has their functions by index."""
    choices = tuple((predicate, branches[index]) for index, predicate in enumerate(node.predicates))

    def process(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        for predicate, forward in choices:
            found: object = predicate is None or predicate(key, value)
            if found is True or (found is not False and is_true(found)):
                forward(key, value, timestamp, headers)
                return

    return process
