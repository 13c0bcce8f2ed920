"""Hooks of mkdocs: pages and parts of pages generated from the code, the Mermaid library, and a check that pages work offline.

The settings model describes itself: about a single setting, only its section of the page is written here.
"""

import ast
import importlib.util
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from commands_page import SETTING, commands_page, root
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

from eddyline.adapters.settings import Settings
from eddyline.application.flows.registry import UnknownFlowError
from eddyline.application.samples.catalogue import find_flow

_SETTINGS_INTRODUCTION = """\
A setting is given on the command line, in the environment or in a TOML file, in this order of precedence:

- on the command line, with its own option if it has one, or with `--set`: `--set num.partitions=8`;
- in the environment, in capitals with underscores for dots and the prefix `EDDYLINE_`: `EDDYLINE_NUM_PARTITIONS=8`;
- in the settings file, by its name in quotes, or in a table:

    ```toml
    log = "kafka"
    "bootstrap.servers" = "broker-1:9092,broker-2:9092"
    "num.partitions" = 8

    [value.codecs]
    trades = "avro"
    ```

The settings file is `eddyline.toml` in the working directory, or the one that `--config` or `EDDYLINE_CONFIG` names.
"""

_SECTIONS = {
    "Application": ("application_id", "version"),
    "Execution": (
        "engine",
        "emit",
        "order",
        "trigger_interval_ms",
        "commit_interval_ms",
        "metrics_recording_level",
        "tracing_enabled",
        "log_format",
        "log_level",
        "max_batch_records",
        "input_buffer_max_bytes",
        "max_task_idle_ms",
        "source_idle_timeout_ms",
        "auto_offset_reset",
        "dead_letter_drops",
        "processing_exception_handler",
        "production_exception_handler",
    ),
    "Topics and state": (
        "log",
        "data_dir",
        "state_dir",
        "checkpoint_dir",
        "package",
        "state_store",
        "statestore_cache_max_bytes",
        "rocksdb_dir",
        "create_topics",
        "num_partitions",
        "partitioner",
        "processing_guarantee",
        "changelog_stores",
    ),
    "Kafka clients": ("kafka",),
    "Spark": ("spark", "create_class_archive"),
    "Codecs and schemas": (
        "default_key_codec",
        "default_value_codec",
        "key_codecs",
        "value_codecs",
        "names",
        "types",
        "window_size_ms",
        "avro",
        "schema_registry",
    ),
    "Alerts": (
        "notifier",
        "smtp_host",
        "smtp_port",
        "smtp_security",
        "smtp_username",
        "smtp_password",
        "smtp_sender",
        "smtp_ca_file",
        "webhook_timeout_ms",
        "webhook_authorization",
    ),
    "Query server": (
        "server_host",
        "server_port",
        "server_token",
        "server_generate_token",
        "server_username",
        "server_password",
        "server_operator_token",
        "server_operator_username",
        "server_operator_password",
        "server_tls_cert_file",
        "server_tls_key_file",
        "server_tls_ca_file",
        "server_rate_limit",
        "server_url",
        "application_server",
        "server_partitions",
    ),
    "Flows": ("flows",),
}
_CHOICES = "enum"
_STATED_DEFAULT = re.compile(r"\s*Default: (.+?)\.?$", re.DOTALL)
_EXAMPLE_OF_TABLE = re.compile(r"^`([^`<]+<[^`]+)`: ")

_TEST_ATTRIBUTE = re.compile(r'^(\s*```.*?) (?:norun|append)="[^"\n]*"', re.MULTILINE)
_EXIT_CODE = re.compile(r"^(\$ .*?)\s+# exits with \d+$", re.MULTILINE)

_INCLUDE = re.compile(r"^```(topology|feature|source)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
"""A block that stands for what the sources of the project have; each of its lines names one thing."""

_MERMAID = "assets/mermaid"
_LOADS = re.compile(r"<(?:script|img|iframe|source|link(?![^>]*rel=.canonical))[^>]*?(?:src|href)=[\"'](?:https?:)?//[^>]*>")
"""Elements that make a browser load something from another host."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages and the Mermaid library."""
    for name, content in (("reference/commands.md", commands_page()), ("reference/settings.md", settings_page())):
        files.append(File.generated(config, name, content=content))
    for path in mermaid_files():
        files.append(File.generated(config, f"{_MERMAID}/{path.name}", abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, **_context: object) -> str:
    """Return the page with what it includes, without what only tests/docs/pages.py reads: attributes of fences, exit codes."""
    return included(_EXIT_CODE.sub(r"\1", _TEST_ATTRIBUTE.sub(r"\1", markdown)))


def on_post_build(config: MkDocsConfig) -> None:
    """Fail when a page loads anything from another host."""
    site = Path(config.site_dir)
    for page in sorted(site.rglob("*.html")):
        text = page.read_text(encoding="utf-8")
        found = _LOADS.search(text)
        if found:
            raise PluginError(f"{page.relative_to(site)} does not work offline: {found[0]}")
        if 'class="mermaid"' in text:
            raise PluginError(f"{page.relative_to(site)} would load Mermaid from a CDN: its fence must have the class 'diagram'")


def mermaid_files() -> list[Path]:
    """Return the modules of the Mermaid library, which the distribution of NiceGUI contains, so that no page needs a CDN."""
    spec = importlib.util.find_spec("nicegui")
    folder = Path(spec.origin).parent / "elements/mermaid/dist" if spec and spec.origin else Path()
    modules = sorted(folder.glob("*.js"))
    if not (folder / "index.js").is_file():
        raise PluginError("the Mermaid library is not in the installed nicegui; install the extra docs of this project")
    return modules


# --- what pages include -----------------------------------------------------------------------------------------------


def included(markdown: str) -> str:
    """Return a page with the topologies, the feature files and the code that its blocks name.

    - `topology`: the names of sample flows, which are drawn.
    - `feature`: paths of feature files.
    - `source`: the path of a file with code, and the names of what to show of it: functions, classes, or `Class.method`.
    """
    forms = {"topology": _drawing, "feature": _feature, "source": _source}
    return _INCLUDE.sub(lambda block: "\n\n".join(forms[block[1]](line) for line in block[2].splitlines()), markdown)


def _drawing(flow: str) -> str:
    try:
        return f"```mermaid\n{find_flow(flow).topology().mermaid().rstrip()}\n```"
    except UnknownFlowError as error:
        raise PluginError(str(error)) from None


def _feature(path: str) -> str:
    return f'```gherkin title="{path}"\n{_text(path).rstrip()}\n```'


def _source(line: str) -> str:
    path, *names = line.split()
    text = _text(path)
    lines, tree = text.splitlines(), ast.parse(text)
    parts = [_definition(tree, name, path) for name in names]
    code = "\n\n\n".join("\n".join(lines[_first_line(part) - 1 : part.end_lineno]) for part in parts)
    return f'```python title="{path}"\n{code}\n```'


def _definition(tree: ast.Module, name: str, path: str) -> ast.stmt:
    found: Any = tree
    for word in name.split("."):
        found = next((each for each in found.body if getattr(each, "name", None) == word), None)
        if found is None:
            raise PluginError(f"{path} does not define '{name}'")
    return found  # type: ignore[no-any-return]


def _first_line(definition: Any) -> int:
    lines: list[int] = [definition.lineno, *(decorator.lineno for decorator in definition.decorator_list)]
    return min(lines)


def _text(path: str) -> str:
    file = Path(__file__).parents[1] / path
    if not file.is_file():
        raise PluginError(f"a page includes {path}, which does not exist")
    return file.read_text(encoding="utf-8")


# --- settings ---------------------------------------------------------------------------------------------------------


def settings_page() -> str:
    """Return the page of all settings: what each means, its type, its default and where it is given."""
    listed = [field for fields in _SECTIONS.values() for field in fields]
    if sorted(listed) != sorted(Settings.model_fields):
        unlisted = sorted({*listed} ^ {*Settings.model_fields})
        raise PluginError(f"docs/hooks.py: each setting must be in one section: {', '.join(unlisted) or 'one is in two'}")
    schema, options = Settings.model_json_schema(), _options_by_setting()
    lines = ["# Settings", "", _SETTINGS_INTRODUCTION]
    for section, fields in _SECTIONS.items():
        lines += [f"## {section}", ""]
        for field in fields:
            lines += _setting(field, schema["properties"][field], options.get(field.replace("_", "."), ()))
    return "\n".join(lines)


def _setting(field: str, schema: Mapping[str, Any], options: tuple[str, ...]) -> Iterator[str]:
    name = field.replace("_", ".")
    text = " ".join(schema["description"].split())
    stated = _STATED_DEFAULT.search(text)
    table, example = "additionalProperties" in schema, _EXAMPLE_OF_TABLE.search(text)
    heading = f"`{example[1]}`" if example else "Client settings" if table else f"`{name}`"
    text = _EXAMPLE_OF_TABLE.sub("", _STATED_DEFAULT.sub("", text))
    yield from (f"### {heading} {{ #{name} }}", "", f"{text[0].upper()}{text[1:]}", "")
    values = _values(schema["additionalProperties"] if table else schema)
    if values:
        yield f"- Values: {values}"
    default = stated[1] if stated else _default(schema)
    if default:
        yield f"- Default: {default}"
    if options:
        yield f"- Command line: {', '.join(f'`{option}`' for option in options)}"
    yield f"- Environment: `EDDYLINE_{field.upper()}`{', a JSON object' if table else ''}"
    yield ""


def _values(schema: Any) -> str:
    """Return what a JSON schema allows, in words."""
    if not isinstance(schema, Mapping):
        return ""
    kinds = [kind for kind in schema.get("anyOf", [schema]) if kind.get("type") != "null"]
    kind = kinds[0]
    if _CHOICES in kind:
        return ", ".join(f"`{choice}`" for choice in kind[_CHOICES])
    if kind.get("type") == "integer":
        least, most = kind.get("minimum", kind.get("exclusiveMinimum", -1) + 1), kind.get("exclusiveMaximum")
        return f"integers from {least} to {most - 1}" if most else f"integers from {least}"
    texts = {"boolean": "`true`, `false`", "path": "a path", "password": "a string, hidden in errors", "string": "a string"}
    return texts.get(kind.get("format", kind.get("type", "")), "")


def _default(schema: Mapping[str, Any]) -> str:
    default = schema.get("default")
    if default in (None, "", {}):
        return "" if "additionalProperties" in schema else "none"
    return f"`{str(default).lower() if isinstance(default, bool) else default}`"


def _options_by_setting() -> dict[str, tuple[str, ...]]:
    """Return the options of all commands that set a setting, by the setting."""
    command, context = root()
    found: dict[str, tuple[str, ...]] = {}
    for name in command.list_commands(context):
        for parameter in command.get_command(context, name).params:
            setting = SETTING.search(getattr(parameter, "help", None) or "")
            if setting:
                found[setting[1]] = tuple(dict.fromkeys((*found.get(setting[1], ()), *parameter.opts)))
    return found
