"""What the README shows is run."""

import re
import sys
from pathlib import Path

import pytest

README = Path(__file__).parents[2] / "README.md"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def test_the_flow_of_the_readme_does_what_its_test_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flow, check = blocks("python")
    (tmp_path / "my_flows.py").write_text(flow, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "my_flows", raising=False)
    exec(compile(check, str(README), "exec"), {})  # noqa: S102 - running what the README shows is the test


def test_the_flow_of_the_readme_is_no_longer_than_it_says() -> None:
    flow = blocks("python")[0]
    code = [line for line in flow.splitlines() if line.strip() and not line.strip().startswith(('"""', "from", "import"))]
    assert len(code) <= 30
