"""The AsyncAPI 3.0 document of a flow: its topics as channels, what it reads and writes as operations and messages."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import yaml

from eddyline.adapters.asyncapi.components import Components
from eddyline.adapters.asyncapi.contents import Content, ContentOf
from eddyline.adapters.asyncapi.servers import BINDING_VERSION
from eddyline.application.runtime.plan.dead_letters import REASON_HEADERS, dead_letter_topic
from eddyline.application.runtime.plan.topic_types import codec_type
from eddyline.application.topology import Topology
from eddyline.application.topology.nodes import Node, SinkNode, SourceNode
from eddyline.application.topology.types import type_name, without_none

_BYTES: Final = Content("application/octet-stream", {"type": "string", "format": "binary"})


@dataclass(frozen=True)
class Application:
    """What a document says about an application as a whole.

    Args:
        title: The name of the flow.
        description: A sentence about the flow.
        version: The version of the document.
        application_id: The consumer group, and the beginning of the name of the dead-letter topic.
        servers: The servers by name.
    """

    title: str
    description: str
    version: str
    application_id: str
    servers: Mapping[str, Any]


def asyncapi_document(application: Application, topology: Topology, content_of: ContentOf) -> dict[str, Any]:
    """Return the document of a flow as JSON.

    Topics whose names are known only when records are read or written (a pattern, a function) become channels without an
    address, as the specification asks for. Repartition topics are internal and left out.

    Args:
        application: The flow.
        topology: Its topology.
        content_of: Returns how keys and values of a topic are encoded.

    Raises:
        TypeError: A codec cannot represent a type.
    """
    builder = _Builder(application, content_of)
    for node in topology.nodes:
        if isinstance(node, SourceNode) and not node.repartition:
            builder.add_source(node)
        elif isinstance(node, SinkNode):
            builder.add_sink(node)
    builder.add_dead_letters()
    return builder.document()


def as_yaml(document: Mapping[str, Any]) -> str:
    """Return a document as YAML."""
    return yaml.dump(document, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120)


class _Dumper(yaml.SafeDumper):
    """Writes no aliases: a schema that occurs twice is written twice."""

    def ignore_aliases(self, data: Any) -> bool:
        del data
        return True


class _Builder:
    """A document in the making."""

    def __init__(self, application: Application, content_of: ContentOf) -> None:
        self._application = application
        self._content_of = content_of
        self._components = Components()
        self._channels: dict[str, dict[str, Any]] = {}
        self._operations: dict[str, dict[str, Any]] = {}

    def add_source(self, node: SourceNode) -> None:
        """Add the topic of a source, or the topics that match its pattern."""
        if node.pattern is None:
            self._add_topic("receive", node.topic, node)
        else:
            self._add(
                "receive", node.name, node, {"address": None, "description": f"All topics that match {node.pattern.pattern}."}
            )

    def add_sink(self, node: SinkNode) -> None:
        """Add the topic of a sink, or the topics that its function chooses."""
        if isinstance(node.topic, str):
            self._add_topic("send", node.topic, node)
        else:
            self._add("send", node.name, node, {"address": None, "description": "A function chooses the topic of each record."})

    def add_dead_letters(self) -> None:
        """Add the topic of records that cannot be processed."""
        topic = dead_letter_topic(self._application.application_id)
        headers = {
            "type": "object",
            "properties": {name: {"type": "string", "description": meaning} for name, meaning in REASON_HEADERS.items()},
        }
        message = {
            "name": "DeadLetter",
            "summary": "A record that could not be processed: key and value as they were read.",
            "contentType": _BYTES.media_type,
            "headers": headers,
            "payload": _BYTES.schema,
            "bindings": _bound({"key": _BYTES.schema}),
        }
        channel = {"address": topic, "description": "The dead letters of the flow."}
        self._declare("send", _channel_id(topic), channel, "DeadLetter", message)

    def document(self) -> dict[str, Any]:
        """Return the document."""
        application = self._application
        info = {"title": application.title, "version": application.version, "description": application.description}
        optional = {"servers": application.servers} if application.servers else {}
        schemas = {name: self._components.schemas[name] for name in sorted(self._components.schemas)}
        return {
            "asyncapi": "3.0.0",
            "info": info,
            **optional,
            "channels": self._channels,
            "operations": self._operations,
            **({"components": {"schemas": schemas}} if schemas else {}),
        }

    def _add_topic(self, action: str, topic: str, node: Node) -> None:
        self._add(action, topic, node, {"address": topic})

    def _add(self, action: str, topic: str, node: Node, channel: dict[str, Any]) -> None:
        value_type = codec_type(node.value_type)
        name = _message_name(value_type) or _channel_id(topic)
        self._declare(
            action, _channel_id(topic), channel, name, self._message(topic, name, codec_type(node.key_type), value_type)
        )

    def _declare(self, action: str, channel_id: str, channel: dict[str, Any], name: str, message: dict[str, Any]) -> None:
        messages = self._channels.setdefault(channel_id, {**channel, "messages": {}})["messages"]
        name = next(candidate for candidate in _candidates(name) if messages.get(candidate, message) == message)
        messages[name] = message
        group = {"groupId": {"type": "string", "enum": [self._application.application_id]}}
        operation = self._operations.setdefault(
            f"{action}-{channel_id}",
            {
                "action": action,
                "channel": {"$ref": f"#/channels/{channel_id}"},
                **({"bindings": _bound(group)} if action == "receive" else {}),
                "messages": [],
            },
        )
        reference = {"$ref": f"#/channels/{channel_id}/messages/{name}"}
        if reference not in operation["messages"]:
            operation["messages"].append(reference)

    def _message(self, topic: str, name: str, key_type: Any, value_type: Any) -> dict[str, Any]:
        key, value = self._content_of(topic, key_type, key=True), self._content_of(topic, value_type, key=False)
        binding: dict[str, Any] = {"key": self._components.key_schema(key)}
        if key.registered or value.registered:
            binding |= {"schemaIdLocation": "payload", "schemaIdPayloadEncoding": "confluent"}
        return {
            "name": name,
            "contentType": value.media_type,
            "payload": self._components.reference(value, f"{topic}-value"),
            "bindings": _bound(binding),
        }


def _bound(binding: Mapping[str, Any]) -> dict[str, Any]:
    return {"kafka": {**binding, "bindingVersion": BINDING_VERSION}}


def _candidates(name: str) -> Iterator[str]:
    yield name
    number = 1
    while True:
        number += 1
        yield f"{name}-{number}"


def _channel_id(topic: str) -> str:
    return re.sub(r"[^\w.-]+", "-", topic).strip("-") or "topic"


def _message_name(value_type: Any) -> str | None:
    """Return the name of a class of the user, None for any other type."""
    known = without_none(value_type)
    if not isinstance(known, type) or known.__module__ == "builtins":
        return None
    return re.sub(r"\W+", "_", type_name(known)).strip("_")
