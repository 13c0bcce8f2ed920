"""Checks of types and stores that several operators share."""

from collections.abc import Iterable, Mapping
from typing import Any, Final, get_origin

from eddyline.application.topology.errors import TopologyError, listed
from eddyline.application.topology.forms import NoFormError, form_of, problem_with_key
from eddyline.application.topology.graph.names import check_name
from eddyline.application.topology.graph.refs import TableRef
from eddyline.application.topology.nodes import Node, RepartitionSinkNode, SinkNode, SourceNode, ValueGetter
from eddyline.application.topology.stores import StoreSpec
from eddyline.application.topology.sub_topologies import global_node_names
from eddyline.application.topology.types import UNKNOWN, type_name

ANY_KEY_TYPE: Final = (UNKNOWN, object, Any)
"""The types of keys that may be equal to keys of any type."""


_MODULES_OF_TYPES: Final = ("types", "typing", "typing_extensions")


def check_type(given: object, what: str) -> None:
    """Check that a type of keys or values is one: a class, or what annotations are written with, such as `str | None`.

    Args:
        given: The type, or UNKNOWN.
        what: What it is, for the error message, such as "key= of operator 'views'".

    Raises:
        TopologyError: If it is something else, such as a name or an object.
    """
    is_type = isinstance(given, type) or get_origin(given) is not None or type(given).__module__ in _MODULES_OF_TYPES
    if given is not UNKNOWN and not is_type:
        fix = given if isinstance(given, str) and given.isidentifier() else "str, or a dataclass"
        msg = f"{what} is {given!r}, which is no type; pass the type itself, such as {fix}"
        raise TopologyError(msg)


def names_in(names: Iterable[str], option: str, name: str) -> tuple[str, ...]:
    """Return the names that an option of the operator `name` lists.

    Raises:
        TopologyError: If it is a text, whose characters would be the names.
    """
    if isinstance(names, str):
        msg = f"{option}= of operator '{name}' is '{names}'; pass a list of names: {option}=['{names}']"
        raise TopologyError(msg)
    return tuple(names)


def check_parents(name: str, parents: Iterable[str], nodes: Mapping[str, Node]) -> None:
    """Check that there are parents for the node `name`, and that they forward records.

    Raises:
        TopologyError: If one of them does not exist or forwards nothing, or there are none.
    """
    if not parents:
        msg = f"operator '{name}' has no parents; pass the name of one or more operators in parents="
        raise TopologyError(msg)
    global_ = global_node_names(tuple(nodes.values()))
    for parent in parents:
        if parent not in nodes:
            msg = f"operator '{name}' has the unknown parent '{parent}'; operators added so far: {listed(nodes)}"
            raise TopologyError(msg)
        node = nodes[parent]
        if isinstance(node, SinkNode | RepartitionSinkNode):
            msg = (
                f"operator '{name}' has the parent '{parent}', which is a sink and forwards nothing; "
                f"pass a parent of the sink, such as '{node.parents[0]}'"
            )
            raise TopologyError(msg)
        if parent in global_:
            msg = (
                f"operator '{name}' has the parent '{parent}' of a global table or store, which forwards nothing; "
                "read the topic with a source of its own"
            )
            raise TopologyError(msg)


def check_topic(node: Node) -> None:
    """Check the name of the topic that a node reads or writes, unless a pattern or a function chooses topics.

    Raises:
        TopologyError: If the name is invalid, or the topic is neither a name nor a function.
    """
    if not isinstance(node, SinkNode | SourceNode) or (isinstance(node, SourceNode) and node.pattern is not None):
        return
    topic: object = node.topic
    if isinstance(topic, str):
        check_name(topic, "topic")
    elif not callable(topic):
        msg = f"the topic of operator '{node.name}' is {topic!r}; pass its name, or a function of (key, value)"
        raise TopologyError(msg)


def check_types(node: Node, purpose: str) -> None:
    """Check that the types of a node's keys and values are known, and that state can have them.

    Args:
        node: The node.
        purpose: What they are needed for, for the error message, such as "to repartition it".

    Raises:
        TopologyError: If a type is unknown, or state cannot have values of it.
    """
    for part, found in (("key", node.key_type), ("value", node.value_type)):
        if found is UNKNOWN:
            msg = (
                f"the {part} type of operator '{node.name}' is unknown, but needed {purpose}; "
                f"annotate the function that returns the {part}s, or pass {part}= to its operator"
            )
            raise TopologyError(msg)
    check_forms(f"operator '{node.name}'", node.key_type, node.value_type, purpose)


def check_types_of_store(spec: StoreSpec) -> None:
    """Check that the types of a store's keys and values are types, and that state can have them; a custom store keeps its own.

    Raises:
        TopologyError: If one of them is something else, or state cannot have it.
    """
    check_type(spec.key_type, f"the key type of store '{spec.name}'")
    check_type(spec.value_type, f"the value type of store '{spec.name}'")
    if spec.factory is None:
        check_forms(f"store '{spec.name}'", spec.key_type, spec.value_type, "after a restart")


def check_forms(what: str, key_type: object, value_type: object, purpose: str) -> None:
    """Check that state can have keys and values of some types.

    Args:
        what: What has them, for the error message, such as "operator 'by-account'".
        key_type: The type of the keys.
        value_type: The type of the values.
        purpose: What they are needed for, as in `check_types`.

    Raises:
        TopologyError: If values of the type of the keys cannot be keys, or a type has no form.
    """
    problem = problem_with_key(key_type)
    if problem is not None:
        msg = f"the keys of {what} are needed {purpose}, but {problem}"
        raise TopologyError(msg)
    for part, found in (("keys", key_type), ("values", value_type)):
        try:
            form_of(found)
        except NoFormError as error:
            msg = f"the {part} of {what} are needed {purpose}, but {error}"
            raise TopologyError(msg) from error


def common_key_type(name: str, left: Node, right: Node) -> object:
    """Return the key type of both sides of the join `name`.

    Raises:
        TopologyError: If both key types are known and differ.
    """
    if left.key_type in ANY_KEY_TYPE:
        return right.key_type
    if right.key_type not in ANY_KEY_TYPE and left.key_type != right.key_type:
        msg = (
            f"operator '{name}' joins '{left.name}', whose keys are of type {type_name(left.key_type)}, "
            f"with '{right.name}', whose keys are of type {type_name(right.key_type)}, so they are never equal; "
            "change the keys of one of them first with select_key(…), or join tables with foreign_key="
        )
        raise TopologyError(msg)
    return left.key_type


def value_getter_of(name: str, table: TableRef) -> ValueGetter:
    """Return the value getter of a table that the operator `name` reads.

    Raises:
        TopologyError: If the rows of the table cannot be read.
    """
    if table.getter is None:
        msg = (
            f"operator '{name}' reads the table '{table.node.name}', which has no store; "
            "materialize the table first with .to_stream().to_table(store=…)"
        )
        raise TopologyError(msg)
    return table.getter


def check_patterns(nodes: Iterable[Node]) -> None:
    """Check that no pattern matches a topic that is read by name.

    Raises:
        TopologyError: If one does.
    """
    sources = [node for node in nodes if isinstance(node, SourceNode) and not node.repartition]
    for node in sources:
        for other in sources:
            if node.pattern is not None and other.pattern is None and node.pattern.fullmatch(other.topic):
                msg = (
                    f"the pattern {node.topic} of source '{node.name}' matches topic '{other.topic}', which is read by name; "
                    "exclude the topic from the pattern, or read it by the pattern only"
                )
                raise TopologyError(msg)
