"""NiceGUI serves several servers of one process, ends with each at once, and keeps nothing in the working directory."""

import gc
import re
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from weakref import WeakSet

import httpx
import pytest
from nicegui import Client
from websockets.sync.client import connect

from eddyline.adapters.page.app import page_app
from eddyline.adapters.web.options import ServerOptions
from tests.adapters.page.served_flows import served_flow, shown
from tests.fixtures.imported_modules import imported_modules
from tests.fixtures.query_servers import serving

_NAMES = ("word-count", "inventory")
WITHOUT_SERVER = (("flows",), ("topology", "word-count"), ("serve", "--help"), ("run", "--help"))


def test_servers_of_one_process_show_their_own_flows_at_the_same_time_and_one_after_the_other() -> None:
    for _ in range(2):
        flows = [served_flow(name) for name in _NAMES]
        pages = [page_app(shown(flow)) for flow in flows]
        with (
            serving(flows[0].queries, ServerOptions(port=0), page=pages[0]) as first,
            serving(flows[1].queries, ServerOptions(port=0), page=pages[1]) as second,
        ):
            titles = [re.findall("<title>(.*)</title>", httpx.get(f"{server.url}/ui/").text) for server in (first, second)]
        assert titles == [[f"Overview · {name} · Eddyline"] for name in _NAMES]


def test_what_the_page_needs_comes_from_the_server_and_is_cached() -> None:
    flow = served_flow("word-count")
    page = page_app(shown(flow))
    with serving(flow.queries, ServerOptions(port=0), page=page) as server, httpx.Client(base_url=server.url) as client:
        html = client.get("/ui/")
        assert html.headers["cache-control"] == "no-store"
        assert "default-src 'self'" in html.headers["content-security-policy"]
        library = re.findall(r'src="(/ui/_nicegui/[^"]*quasar[^"]*)"', html.text)[0]
        answer = client.get(library)
        assert answer.headers["cache-control"] == "private, max-age=31536000, immutable"
        assert answer.headers["content-encoding"] == "gzip"
        assert client.get("/ui/nothing").status_code == 404
        assert client.get("/stores/nothing").json()["type"] == "urn:eddyline:problem:unknown-store"


def test_a_server_stops_while_its_page_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eddyline.adapters.web.server._GRACE_S", 600)
    flow = served_flow("word-count")
    page = page_app(shown(flow))
    with ExitStack() as after, serving(flow.queries, ServerOptions(port=0), page=page) as server:
        html = httpx.get(f"{server.url}/ui/").text
        client_id = re.findall(r"'client_id': '([^']+)'", html)[0]
        address = f"ws{server.url.removeprefix('http')}/ui/_nicegui_ws/socket.io/?EIO=4&transport=websocket&client_id={client_id}"
        socket = after.enter_context(connect(address, proxy=None))
        assert str(socket.recv(10)).startswith("0{")


def test_views_that_no_browser_opens_are_forgotten() -> None:
    flow = served_flow("word-count")
    options = ServerOptions(port=0, rate_limit=0)
    before, views = set(Client.instances), WeakSet[Client]()
    gc.disable()
    try:
        with serving(flow.queries, options, page=page_app(shown(flow))) as server, httpx.Client(base_url=server.url) as client:
            for _ in range(80):
                assert client.get("/ui/").status_code == 200
                views.update(list(Client.instances.values()))
            assert len(Client.instances.keys() - before) <= 33
            assert len(views) - len(before) < 70
    finally:
        gc.enable()


@pytest.mark.parametrize("words", WITHOUT_SERVER, ids=" ".join)
def test_commands_without_a_server_import_no_web_framework(words: tuple[str, ...]) -> None:
    assert not {"nicegui", "fastapi", "starlette", "werkzeug"} & imported_modules(*WITHOUT_SERVER)[words]


def test_nothing_is_kept_in_the_working_directory(tmp_path: Path) -> None:
    program = (
        "import re, httpx\n"
        "from eddyline.adapters.page.app import page_app\n"
        "from tests.adapters.page.served_flows import served_flow, shown\n"
        "from tests.fixtures.query_servers import serving\n"
        "flow = served_flow('word-count')\n"
        "with serving(flow.queries, page=page_app(shown(flow))) as server:\n"
        "    assert httpx.get(f'{server.url}/ui/').status_code == 200\n"
    )
    root = Path(__file__).parents[3]
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, env={"PYTHONPATH": str(root), "PATH": ""}, check=True)
    assert list(tmp_path.iterdir()) == []
