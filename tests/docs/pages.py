"""Runs the code blocks of a documentation page, in their order, in a folder of the page's own.

A block's info string says what becomes of it:

- A block with a title is a file: `python title="flows.py"`. A later block with the same title replaces it, or is appended to it
  with `append="true"`.
- `python` without a title is executed; all such blocks of a page share their names.
- `console` holds commands after `$ `, each followed by its expected output, if any. In the expected output a line of `...`
  stands for any lines, and `...` within a line for any text; without expected output any output will do. A command must
  succeed; `# exits with 2` at its end expects another exit code. A server that ends with `&` runs until the page
  ends; the next command follows when it has printed its address.
- `console norun="the reason"` is not executed: for commands that install software or need something no test may touch.
- `text`, `mermaid` and other languages without a title are not executed.

The commands `eddyline` and `pytest`, and blocks of Python, run in forks of a process that has imported their modules, or with
`fresh: true` in the front matter in processes of their own.

A page's front matter says what it needs: `needs: [spark]` (a Java process, which its commands share one after the other),
`needs: [own-spark]` (its commands start Java), `needs: [services]` (a broker and a schema registry, whose addresses
are in EDDYLINE_BOOTSTRAP_SERVERS and EDDYLINE_SCHEMA_REGISTRY_URL), `needs: [port]` (a free port for its
server), `needs: [maven]` (the dependencies of the page's `pom.xml`
in the folder `libs`, and Java), or an interpreter of its own with other libraries installed: `libraries: [faust-streaming]`,
which runs the page's Python and is `python` in its commands. Where such a library does not support every Python,
`python: "<3.13"` names the versions for which it has wheels; on others the page is skipped. A page that continues others says
`files_of: [tutorial/first-flow.md]` and begins with the files that those pages end with. The blocks of one that says `slow: true`
run in `make test-slow` only: it starts Spark often, for what other tests show, too.
"""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from markdown_it import MarkdownIt
from packaging.specifiers import SpecifierSet

from tests.docs import block_interpreter
from tests.fixtures.class_archive import WITHOUT_ARCHIVE

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
_ANY = "..."
_EXIT_CODE = re.compile(r"\s+# exits with (\d+)$")
_PYTEST_OPTIONS = "-W 'ignore:Module already imported'"
"""The fork server has imported modules that pytest would otherwise rewrite, as they belong to plugins."""
_FRONT_MATTER = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its attributes, its content, and the number of its first line."""

    language: str
    attributes: Mapping[str, str]
    content: str
    line: int


@dataclass(frozen=True)
class Command:
    """A shell command with its expected output, None where any will do."""

    text: str
    exit_code: int
    output: str | None


class PageError(AssertionError):
    """A block of a page does not do what the page says."""


def front_matter(page: Path) -> Mapping[str, Any]:
    """Return the settings at the top of a page."""
    match = _FRONT_MATTER.match(page.read_text(encoding="utf-8"))
    return (yaml.safe_load(match[1]) or {}) if match else {}


def blocks(page: Path) -> list[Block]:
    """Return the fenced blocks of a page, those inside lists and tabs too."""
    text = page.read_text(encoding="utf-8")
    tokens = MarkdownIt().parse(_FRONT_MATTER.sub(lambda match: "\n" * match[0].count("\n"), text))
    found = []
    for token in tokens:
        if token.type == "fence" and token.map:
            language, *attributes = shlex.split(token.info) or [""]
            pairs = dict(attribute.partition("=")[::2] for attribute in attributes)
            found.append(Block(language, pairs, token.content, token.map[0] + 2))
    return found


def unsupported(page: Path, python: str) -> str:
    """Return why a page cannot run with a version of Python, or an empty string if it can."""
    settings = front_matter(page)
    supported = settings.get("python", "")
    if SpecifierSet(supported).contains(python, prereleases=True):
        return ""
    return f"{', '.join(settings['libraries'])} has wheels for Python {supported} only"


def commands(block: Block) -> Iterator[Command]:
    """Yield the commands of a console block."""
    for part in re.split(r"^\$ ", block.content, flags=re.MULTILINE)[1:]:
        first, _, rest = part.partition("\n")
        while first.endswith("\\"):
            line, _, rest = rest.partition("\n")
            first = f"{first}\n{line}"
        code = _EXIT_CODE.search(first)
        yield Command(_EXIT_CODE.sub("", first), int(code[1]) if code else 0, rest.rstrip("\n") or None)


class PageRunner:
    """Runs the blocks of one page.

    Args:
        page: the page.
        folder: where its files are, and where its commands run.
        environment: what is added to the environment of the commands.
        forked: the folder with the scripts of the fork server.
        python: the interpreter with the libraries of the page.
        after_command: is called when a command has ended.
    """

    def __init__(
        self,
        page: Path,
        folder: Path,
        environment: Mapping[str, str],
        forked: Path,
        *,
        python: Path | None = None,
        after_command: Callable[[], None] = lambda: None,
    ) -> None:
        self._page, self._folder, self._after_command = page, folder, after_command
        fresh = front_matter(page).get("fresh", False)
        self._interpreter_words = (
            [python or sys.executable, block_interpreter.__file__] if python or fresh else [forked / "run-blocks"]
        )
        here = Path(sys.executable)
        scripts = [] if fresh else [forked]
        path = os.pathsep.join([*map(str, (*scripts, (python or here).parent, here.parent)), os.environ["PATH"]])
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("EDDYLINE_", "PYTEST_"))}
        own = {"PATH": path, "COLUMNS": "100", "TERM": "dumb", "PYTEST_ADDOPTS": _PYTEST_OPTIONS}
        self._environment = {**inherited, **WITHOUT_ARCHIVE, **own, **environment}
        self._interpreter: subprocess.Popen[str] | None = None
        self._groups: list[int] = []
        self._servers: list[subprocess.Popen[str]] = []

    def run(self) -> None:
        """Run all blocks. Raises PageError for the first one that does not do what the page says."""
        try:
            for earlier in front_matter(self._page).get("files_of", []):
                for block in blocks(DOCS / earlier):
                    if "title" in block.attributes:
                        self._write(block)
            for block in blocks(self._page):
                self._run(block)
        finally:
            if self._interpreter is not None:
                self._interpreter.kill()
                self._interpreter.communicate()
            for server in self._servers:
                server.terminate()
                server.communicate()
            for group in self._groups:
                with suppress(ProcessLookupError):  # all its processes have ended
                    os.killpg(group, signal.SIGKILL)

    def _run(self, block: Block) -> None:
        if "title" in block.attributes:
            self._write(block)
        elif block.language == "python":
            self._execute(block)
        elif block.language == "console" and "norun" not in block.attributes:
            for command in commands(block):
                self._command(block, command)

    def _write(self, block: Block) -> None:
        file = self._folder / block.attributes["title"]
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a" if block.attributes.get("append") == "true" else "w", encoding="utf-8") as handle:
            handle.write(block.content)

    def _execute(self, block: Block) -> None:
        """Execute the block in the page's interpreter, a process of its own, so that no page sees another's modules."""
        if self._interpreter is None:
            self._interpreter = subprocess.Popen(
                self._interpreter_words,
                cwd=self._folder,
                env=self._environment,
                text=True,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
        interpreter = self._interpreter
        assert interpreter.stdin is not None
        assert interpreter.stdout is not None
        interpreter.stdin.write(json.dumps([block.content, self._at(block)]) + "\n")
        interpreter.stdin.flush()
        error = json.loads(interpreter.stdout.readline() or '"the interpreter died"')
        if error:
            raise PageError(f"{self._at(block)}: the Python block fails:\n{error}")

    def _command(self, block: Block, command: Command) -> None:
        if command.text.endswith(" &"):
            self._serve(block, command.text.removesuffix(" &"))
            return
        try:
            done = self._process(["bash", "-euo", "pipefail", "-c", f"{command.text} 2>&1"])
        finally:
            self._after_command()
        output = done.stdout.rstrip("\n")
        if done.returncode != command.exit_code:
            raise PageError(f"{self._at(block)}: `{command.text}` exits with {done.returncode}:\n{output}{done.stderr}")
        if command.output is not None and not _pattern(command.output).fullmatch(_normal(output)):
            raise PageError(f"{self._at(block)}: `{command.text}` prints:\n{output}\n\nbut the page says:\n{command.output}")

    def _serve(self, block: Block, command: str) -> None:
        """Start a server, and wait until it has printed its address."""
        words = ["bash", "-euo", "pipefail", "-c", f"exec {command} 2>&1"]
        process = subprocess.Popen(
            words, cwd=self._folder, env=self._environment, stdout=subprocess.PIPE, text=True, process_group=0
        )
        self._servers.append(process)
        assert process.stdout is not None
        printed = []
        for line in process.stdout:
            printed.append(line)
            if "http://" in line:
                return
        raise PageError(f"{self._at(block)}: `{command}` ends without an address:\n{''.join(printed)}")

    def _process(self, words: list[str]) -> subprocess.CompletedProcess[str]:
        """Run a command in a process group of its own, since it may leave processes in the background."""
        with subprocess.Popen(
            words,
            cwd=self._folder,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            process_group=0,
        ) as process:
            self._groups.append(process.pid)
            try:
                out, err = process.communicate()
            except BaseException:  # the time limit of the test: the block would wait for the process for ever
                os.killpg(process.pid, signal.SIGKILL)
                raise
        return subprocess.CompletedProcess(words, process.returncode, out, err)

    def _at(self, block: Block) -> str:
        page = self._page.relative_to(ROOT) if self._page.is_relative_to(ROOT) else self._page.name
        return f"{page}:{block.line}"


def _pattern(expected: str) -> re.Pattern[str]:
    parts = []
    for line in expected.splitlines():
        text = re.escape(line.rstrip()).replace(re.escape(_ANY), "[^\n]*?")
        parts.append("(?:[^\n]*\n)*?" if line.strip() == _ANY else f"{text}\n")
    return re.compile("".join(parts))


def _normal(output: str) -> str:
    return "".join(f"{line.rstrip()}\n" for line in output.splitlines())
