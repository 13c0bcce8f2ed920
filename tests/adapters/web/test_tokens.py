"""Generated tokens: who finds them, who cannot, and how a browser uses the address with one."""

import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from eddyline.adapters.private_files import PrivateFolderError
from eddyline.adapters.settings import Settings, SettingsError
from eddyline.adapters.web.options import ServerOptions
from eddyline.adapters.web.server import QueryServer
from eddyline.adapters.web.tokens import generated_token, publish, published_token, withdraw
from eddyline.adapters.wiring.web import query_client, server_options
from tests.adapters.web.test_login import HTML, page
from tests.fixtures.query_servers import serving
from tests.fixtures.state_queries import example_queries

URL = "http://127.0.0.1:8642"


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("EDDYLINE_SERVER_GENERATE_TOKEN", "true")
    return tmp_path / f"eddyline-servers-{os.getuid()}"


@pytest.fixture
def server() -> Iterator[QueryServer]:
    with serving(example_queries(), server_options(Settings(server_port=0)), page=page) as running:
        yield running


def test_without_its_generated_token_a_server_answers_nobody(server: QueryServer) -> None:
    asked = [httpx.get(f"{server.url}{path}", trust_env=False).status_code for path in ("/stores", "/metrics", "/ui/", "/")]
    stopped = httpx.post(f"{server.url}/stop", json={}, trust_env=False).status_code
    assert {*asked, stopped} == {401}
    assert httpx.get(f"{server.url}/health/live", trust_env=False).status_code == 200


def test_commands_of_the_same_user_find_the_token_while_the_server_runs(temporary: Path) -> None:
    with serving(example_queries(), server_options(Settings(server_port=0))) as server:
        (file,) = temporary.iterdir()
        modes = {stat.S_IMODE(path.stat().st_mode) for path in (file, temporary)}
        assert modes == {0o600, 0o700}
        for url in (server.url, server.url.replace("127.0.0.1", "localhost")):
            with query_client(Settings(server_url=url)) as client:
                assert len(client.stores()) == 5
        with query_client(Settings(server_url=server.url, server_generate_token=False)) as client, pytest.raises(client.error):
            client.stores()
    assert list(temporary.iterdir()) == []


def test_a_visit_with_the_token_begins_a_session_and_drops_the_token_from_the_address(server: QueryServer) -> None:
    with httpx.Client(base_url=server.url, trust_env=False, headers=HTML) as client:
        address = httpx.URL(server.address)
        answer = client.get(f"/ui/stores?store=a&token={address.params['token']}&x=1")
        assert (answer.status_code, answer.headers["location"]) == (303, "/ui/stores?store=a&x=1")
        assert client.get(answer.headers["location"]).text == "the page"
        assert client.get(server.address).headers["location"] == "/"
    with httpx.Client(base_url=server.url, trust_env=False, headers=HTML) as client:
        assert client.get("/ui/stores?store=a&token=guess").headers["location"] == "/login?next=/ui/stores%3Fstore%3Da"
        assert "set-cookie" not in client.get("/?token=guess").headers


def test_only_addresses_of_the_page_take_the_token(server: QueryServer) -> None:
    token = httpx.URL(server.address).params["token"]
    for path in ("/stores", "/metrics", "/status"):
        assert httpx.get(f"{server.url}{path}?token={token}", headers=HTML, trust_env=False).status_code == 401


def test_credentials_of_the_settings_replace_the_generated_token() -> None:
    assert not server_options(Settings(server_token="t")).generated  # noqa: S106
    assert not server_options(Settings(server_generate_token=False)).protected
    with pytest.raises(SettingsError, match=r"is not loopback, so access must be restricted: set server\.token"):
        server_options(Settings(server_host="192.0.2.1"))


def test_servers_that_share_partitions_on_several_machines_need_a_token_in_common() -> None:
    def shared(address: str) -> ServerOptions:
        return server_options(Settings(log="kafka", server_partitions="shared", application_server=address))

    assert shared("127.0.0.1:8643").generated
    assert shared("[::1]:8643").generated
    with pytest.raises(SettingsError, match=r"at 'state-1\.example:8642', from other machines, so they need a token in common"):
        shared("state-1.example:8642")


def test_a_server_does_not_withdraw_the_token_of_the_next_one_at_its_address() -> None:
    first, second = generated_token(), generated_token()
    publish(URL, first)
    publish(URL, second)
    withdraw(URL, first)
    assert published_token(URL) == second


@pytest.mark.parametrize(
    "url", ["http://192.0.2.1:8642", "http://example.com", "http://ada:p@127.0.0.1:8642", "http://[", "", "x"]
)
def test_a_token_is_only_for_servers_of_this_machine(url: str) -> None:
    publish(URL, generated_token())
    assert published_token(url) is None


def test_a_token_that_others_can_read_or_replace_is_refused(temporary: Path, tmp_path: Path) -> None:
    publish(URL, generated_token())
    (file,) = temporary.iterdir()
    file.chmod(0o640)
    with pytest.raises(PrivateFolderError, match="is no file that only you can read; remove it"):
        published_token(URL)
    file.unlink()
    file.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(PrivateFolderError, match="is no file that only you can read"):
        published_token(URL)
    publish(URL, "new")
    assert (published_token(URL), (tmp_path / "elsewhere").exists()) == ("new", False)
    file.unlink()
    os.mkfifo(file, 0o600)
    with pytest.raises(PrivateFolderError, match="is no file that only you can read"):
        published_token(URL)
    temporary.chmod(0o770)
    with pytest.raises(PrivateFolderError, match="is no directory that only you can write; remove it, or set server"):
        published_token(URL)
    with pytest.raises(PrivateFolderError, match="is no directory that only you can write"):
        QueryServer(example_queries(), lambda _: None, server_options(Settings(server_port=0)))  # type: ignore[arg-type,return-value]


@pytest.mark.parametrize("name", ["token", "operator_token"])
@pytest.mark.parametrize("token", ["säsam", "two words", "line\n", "\x1b[1m", "\x7f"])
def test_a_token_that_no_header_can_have_is_an_error(name: str, token: str) -> None:
    with pytest.raises(SettingsError, match=f"setting 'server.{name.replace('_', '.')}' has characters that a header"):
        server_options(Settings(**{f"server_{name}": token}))  # type: ignore[arg-type] # texts
