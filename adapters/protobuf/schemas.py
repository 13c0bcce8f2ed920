"""Schemas of Protobuf: that of a Python type as text and as a descriptor, and those of others from their texts."""

import base64
import binascii
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

import grpc_tools
from google.protobuf import (  # noqa: F401 - imported, their files can be found by name
    any_pb2,
    api_pb2,
    descriptor_pb2,
    descriptor_pool,
    duration_pb2,
    empty_pb2,
    field_mask_pb2,
    source_context_pb2,
    struct_pb2,
    timestamp_pb2,
    type_pb2,
    wrappers_pb2,
)
from google.protobuf.descriptor import Descriptor, FileDescriptor
from google.protobuf.message import DecodeError

from eddyline.adapters.protobuf.errors import ProtobufTypeError
from eddyline.adapters.protobuf.message_types import (
    TIMES,
    EnumType,
    ListType,
    MapType,
    MessageField,
    MessageType,
    ScalarType,
    SingleType,
)
from eddyline.application.ports.codec import CodecError

_IMPORTS: Final = {
    "google.protobuf.Timestamp": "google/protobuf/timestamp.proto",
    "google.protobuf.Duration": "google/protobuf/duration.proto",
}
_TIMEOUT_S: Final = 60
_PATH: Final = re.compile(r"(?:\w[\w.-]*/)*\w[\w-]*\.proto", re.ASCII)
_MAX_REASON: Final = 500
_WELL_KNOWN: Final = Path(grpc_tools.__file__).parent / "_proto"


def schema_text(named: Sequence[MessageType | EnumType]) -> str:
    """Return the schema of messages and enums; the same text for the same types."""
    kinds = {type_name for each in named if isinstance(each, MessageType) for type_name in _type_names(each)}
    lines = ['syntax = "proto3";', ""]
    imports = [f'import "{_IMPORTS[name]}";' for name in sorted(kinds & set(TIMES.values()))]
    lines += [*imports, ""] if imports else []
    for each in named:
        if isinstance(each, EnumType):
            lines += [f"enum {each.name} {{", *(f"  {name} = {number};" for name, number in each.numbers.items()), "}", ""]
        else:
            lines += [f"message {each.name} {{", *map(_field_text, each.written), "}", ""]
    return "\n".join(lines)


def _field_text(field: MessageField) -> str:
    match field.type:
        case ListType(_, item):
            kind = f"repeated {item.name}"
        case MapType(key, value):
            kind = f"map<{key.name}, {value.name}>"
        case single:
            kind = f"optional {single.name}" if field.is_optional else single.name
    return f"  {kind} {field.naming.written} = {field.number};"


def _type_names(message: MessageType) -> Iterator[str]:
    for field in message.written:
        match field.type:
            case ListType(_, single) | MapType(_, single):
                yield single.name
            case single:
                yield single.name


def file_of_types(named: Sequence[MessageType | EnumType]) -> FileDescriptor:
    """Return the descriptor of messages and enums.

    Raises:
        ProtobufTypeError: their names are no valid schema.
    """
    proto = descriptor_pb2.FileDescriptorProto(name="schema.proto", syntax="proto3", dependency=_IMPORTS.values())
    for each in named:
        if isinstance(each, EnumType):
            values = (descriptor_pb2.EnumValueDescriptorProto(name=name, number=n) for name, n in each.numbers.items())
            proto.enum_type.add(name=each.name, value=values)
        else:
            _add_message(proto.message_type.add(name=each.name), each)
    try:
        return _pool_file([proto])
    except TypeError as error:
        raise ProtobufTypeError(f"'{named[0].name}' is no valid Protobuf message: {error}") from error


def _add_message(proto: descriptor_pb2.DescriptorProto, message: MessageType) -> None:
    labels = descriptor_pb2.FieldDescriptorProto
    optional = []
    for each in message.written:
        field = proto.field.add(name=each.naming.written, number=each.number, label=labels.LABEL_OPTIONAL)
        match each.type:
            case ListType(_, item):
                field.label = labels.LABEL_REPEATED
                _set_type(field, item)
            case MapType(key, value):
                entry = proto.nested_type.add(name=_entry_name(each.naming.written))
                entry.options.map_entry = True
                for number, (name, kind) in enumerate((("key", key), ("value", value)), start=1):
                    _set_type(entry.field.add(name=name, number=number, label=labels.LABEL_OPTIONAL), kind)
                field.label, field.type = labels.LABEL_REPEATED, labels.TYPE_MESSAGE
                field.type_name = f".{message.name}.{entry.name}"
            case single:
                _set_type(field, single)
                if each.is_optional:
                    field.proto3_optional = True
                    optional.append(field)
    for field in optional:
        field.oneof_index = len(proto.oneof_decl)
        proto.oneof_decl.add(name=f"_{field.name}")


def _entry_name(field: str) -> str:
    """Return the name of the message of a map's entries, which protoc derives from that of the field."""
    return "".join(part[:1].upper() + part[1:] for part in field.split("_")) + "Entry"


def _set_type(field: descriptor_pb2.FieldDescriptorProto, kind: SingleType) -> None:
    if isinstance(kind, ScalarType) and kind.name not in _IMPORTS:
        field.type = descriptor_pb2.FieldDescriptorProto.Type.Value(f"TYPE_{kind.name.upper()}")
        return
    labels = descriptor_pb2.FieldDescriptorProto
    field.type = labels.TYPE_ENUM if isinstance(kind, EnumType) else labels.TYPE_MESSAGE
    field.type_name = f".{kind.name}"


@lru_cache(maxsize=1_000)
def file_of_text(text: str, references: tuple[tuple[str, str], ...] = ()) -> FileDescriptor:
    """Return the descriptor of a schema, which is a text in the language of Protobuf, or a descriptor in Base64.

    Args:
        text: The schema.
        references: Names and texts of the schemas that it imports, besides those of Protobuf itself.

    Raises:
        CodecError: the schema is invalid, has no message, or imports others.
    """
    file = _parsed(text, references)
    if not file.message_types_by_name:
        raise CodecError("the schema has no message")
    return file


def _parsed(text: str, references: Sequence[tuple[str, str]]) -> FileDescriptor:
    descriptor, imported = _descriptor_in(text), [(name, _descriptor_in(content)) for name, content in references]
    if any((found is None) != (descriptor is None) for _, found in imported):
        raise CodecError("the schema is a text and imports descriptors, or the other way round; register all of them alike")
    if descriptor is None:
        files: Iterable[descriptor_pb2.FileDescriptorProto] = _compiled(text, references)
    else:
        files = [*(_renamed(found, name) for name, found in imported if found is not None), descriptor]
    try:
        return _pool_file(files)
    except TypeError as error:
        raise CodecError(f"the schema is invalid: {error}") from error


def _renamed(file: descriptor_pb2.FileDescriptorProto, name: str) -> descriptor_pb2.FileDescriptorProto:
    """Return a file with the name by which another one imports it."""
    file.name = name
    return file


def _compiled(text: str, references: Sequence[tuple[str, str]]) -> Sequence[descriptor_pb2.FileDescriptorProto]:
    """Return the files of a text, each after those that it imports."""
    main = "schema.proto" if all(name != "schema.proto" for name, _ in references) else "main.proto"
    with tempfile.TemporaryDirectory(prefix="eddyline-protobuf-") as name:
        folder = Path(name)
        for path, content in (*references, (main, text)):
            file = folder / _checked_path(path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content, encoding="utf-8", errors="replace")
        protoc = [sys.executable, "-m", "grpc_tools.protoc", f"-I{folder}", f"-I{_WELL_KNOWN}", "--include_imports"]
        command = [*protoc, "-oschema.bin", main]
        found_here = {**os.environ, "PYTHONPATH": os.pathsep.join(str(Path(each).resolve()) for each in sys.path)}
        try:
            done = subprocess.run(  # noqa: S603 - the text is data in a file
                command, cwd=folder, env=found_here, capture_output=True, timeout=_TIMEOUT_S, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise CodecError(f"the schema is invalid: protoc has not parsed it in {_TIMEOUT_S} s") from error
        if done.returncode:
            lines = done.stderr.decode(errors="replace").replace(f"{folder}/", "").splitlines()
            reason = " ".join(line for line in lines if ".proto:" in line and "parser.cc" not in line)[:_MAX_REASON]
            raise CodecError(f"the schema is invalid: {reason or f'protoc ended with {done.returncode}'}")
        return descriptor_pb2.FileDescriptorSet.FromString((folder / "schema.bin").read_bytes()).file


def _descriptor_in(text: str) -> descriptor_pb2.FileDescriptorProto | None:
    """Return the descriptor in a schema, None if it is a text, which has characters that Base64 does not have."""
    try:
        return descriptor_pb2.FileDescriptorProto.FromString(base64.b64decode(text, validate=True))
    except (binascii.Error, DecodeError, ValueError):
        return None


def _checked_path(name: str) -> str:
    """Return the name of a schema that is imported, which is the path of a file below a folder."""
    if not _PATH.fullmatch(name):
        raise CodecError(f"the schema refers to another one as {name[:_MAX_REASON]!r}, which is not the path of a .proto file")
    return name


def _pool_file(files: Iterable[descriptor_pb2.FileDescriptorProto]) -> FileDescriptor:
    """Return the last of these files, each after those that it imports, in a pool of their own. Raises TypeError."""
    pool, added, name = descriptor_pool.DescriptorPool(), set[str](), ""

    def add_imported(names: Iterable[str]) -> None:
        for imported in names:
            if imported in added:
                continue
            try:
                found = descriptor_pool.Default().FindFileByName(imported)
            except KeyError:
                raise TypeError(
                    f"it imports '{imported}', which is no file of google/protobuf and no reference of the schema"
                ) from None
            proto = descriptor_pb2.FileDescriptorProto()
            found.CopyToProto(proto)
            add_imported(proto.dependency)
            added.add(imported)
            pool.AddSerializedFile(proto.SerializeToString())

    for each in files:
        add_imported(each.dependency)
        name = each.name
        if name not in added:
            added.add(name)
            pool.AddSerializedFile(each.SerializeToString())
    return pool.FindFileByName(name)


def main_message(file: FileDescriptor, name: str | None) -> Descriptor:
    """Return the message of a schema with this name, or else its first one."""
    messages = messages_in_order(file)
    return next((each for each in messages if each.name == name), messages[0])


def indexed_message(messages: Sequence[Descriptor], indexes: Sequence[int]) -> Descriptor:
    """Return the message with these indexes: among those of the file, in that message, and so on.

    Raises:
        CodecError: there is none.
    """
    found = None
    for index in indexes:
        if not 0 <= index < len(messages):
            raise CodecError(f"the schema has no message with the indexes {list(indexes)}")
        found = messages[index]
        messages = found.nested_types
    if found is None:
        raise CodecError("the data has no message index")
    return found


def messages_in_order(file: FileDescriptor) -> list[Descriptor]:
    """Return the messages of a file in the order of its text; this copies the whole file."""
    proto = descriptor_pb2.FileDescriptorProto()
    file.CopyToProto(proto)
    return [file.message_types_by_name[each.name] for each in proto.message_type]
