"""What mkdocs does besides rendering pages: it generates those of commands and settings, and hides what only tests read."""

import re
from typing import get_args, get_origin

import typer
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined
from typer.cli import get_docs_for_click

from eddyline.adapters.cli.main import app
from eddyline.adapters.settings import Settings

_TEST_ATTRIBUTE = re.compile(r'^(\s*```.*?) (?:norun|append)="[^"\n]*"', re.MULTILINE)
_EXIT_CODE = re.compile(r"^(\$ .*?)\s+# exits with \d+$", re.MULTILINE)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages."""
    for name, content in (("reference/commands.md", commands()), ("reference/settings.md", settings())):
        files.append(File.generated(config, name, content=content))
    return files


def on_page_markdown(markdown: str, **_context: object) -> str:
    """Return the page without the attributes of fences and the exit codes that tests/docs/pages.py reads."""
    return _EXIT_CODE.sub(r"\1", _TEST_ATTRIBUTE.sub(r"\1", markdown))


def commands() -> str:
    """Return the page of all commands, as typer documents them."""
    command = typer.main.get_command(app)
    with typer.Context(command, info_name="eddyline") as context:
        return get_docs_for_click(obj=command, ctx=context, name="eddyline", title="Commands")


def settings() -> str:
    """Return the page of all settings: a heading, the type, the default and the description of each."""
    lines = [
        "# Settings",
        "",
        "A setting is given on the command line (`--set NAME=VALUE`, or an option of its own), in the environment "
        "(`EDDYLINE_` and the name in capitals with underscores) or in `eddyline.toml`, in this order of precedence. Settings "
        "of Kafka's clients and of the schema registry's client are passed on under their own names.",
        "",
    ]
    for name, field in sorted(Settings.model_fields.items()):
        lines += _setting(name.replace("_", "."), field)
    return "\n".join(lines)


def _setting(name: str, field: FieldInfo) -> list[str]:
    table = get_origin(field.annotation) is dict
    return [
        f"## `{name}.…`" if table else f"## `{name}`",
        "",
        str(field.description),
        "",
        f"- Type: {_type(get_args(field.annotation)[1] if table else field.annotation)}",
        f"- Default: {_default(field)}",
        "",
    ]


def _type(annotation: object) -> str:
    """Return a type as readers write it: choices, or its name."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is None:
        return f"`{getattr(annotation, '__name__', annotation)}`"
    kinds = [_type(each) for each in arguments if each is not type(None) and not isinstance(each, FieldInfo)]
    if all(isinstance(each, str) for each in arguments):
        return ", ".join(f"`{each}`" for each in arguments)
    return kinds[0] if len(kinds) <= 1 or hasattr(annotation, "__metadata__") else " or ".join(kinds)


def _default(field: FieldInfo) -> str:
    if field.default_factory is not None or field.default in (None, PydanticUndefined):
        return "none, see above"
    return f"`{str(field.default).lower() if isinstance(field.default, bool) else field.default}`"
