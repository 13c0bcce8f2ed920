"""The files in deploy/ are valid by their schemas, fit together, and have settings that Eddyline accepts; none needs Docker."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import distribution
from importlib.resources import files
from pathlib import Path
from typing import Any

import httpx
import jsonschema
import pytest
import yaml
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from eddyline.adapters.settings import Settings
from eddyline.adapters.web.options import ServerOptions
from eddyline.adapters.wiring.web import server_options
from tests.adapters.cli.conftest import Eddyline
from tests.fixtures.query_servers import serving
from tests.fixtures.state_queries import example_queries

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
DOCKERFILE = (DEPLOY / "Dockerfile").read_text()
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
KUBERNETES = json.loads((ROOT / "tests/schemas/kubernetes-1.37.0.json").read_text())
REQUIREMENTS = (DEPLOY / "requirements.txt").read_text()
MANIFESTS = sorted((DEPLOY / "kubernetes").glob("*.yaml"))
PINNED = re.compile(r"[^\s:@]+(:\d+(/[^\s:@]+)?)?:\d+\.\d+[^\s:@]*")
DIGEST = re.compile(r"@sha256:[0-9a-f]{64}")
WORKFLOW = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text())


def instructions(dockerfile: str) -> list[tuple[str, str]]:
    """Return the instructions of a Dockerfile with their arguments on one line, without comments."""
    joined = re.sub(r"\\\n", " ", re.sub(r"^\s*#.*\n", "", dockerfile, flags=re.MULTILINE))
    words = [line.split(maxsplit=1) for line in joined.splitlines() if line.strip()]
    return [(name, " ".join(rest.split())) for name, rest in words]


def manifests(kind: str) -> list[Any]:
    return [found for path in MANIFESTS for found in yaml.safe_load_all(path.read_text()) if found["kind"] == kind]


def manifest(kind: str) -> Any:
    return manifests(kind)[0]


def manifest_problems(resource: Any) -> list[str]:
    """Return what is wrong with a resource by the schema of its kind."""
    schema = {"$ref": f"#/$defs/{KUBERNETES['roots'][resource['kind']]}", "$defs": KUBERNETES["$defs"]}
    return [f"{error.json_path}: {error.message}" for error in jsonschema.Draft202012Validator(schema).iter_errors(resource)]


def compose_problems(document: Any) -> list[str]:
    schema = json.loads((files("check_jsonschema") / "builtin_schemas/vendor/compose-spec.json").read_text())
    return [
        f"{error.json_path}: {error.message}"
        for error in jsonschema.validators.validator_for(schema)(schema).iter_errors(document)
    ]


def container() -> Any:
    return manifest("StatefulSet")["spec"]["template"]["spec"]["containers"][0]


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Keep the settings of the machine out of the tests."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("EDDYLINE_")]:
        monkeypatch.delenv(name)


@pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: path.name)
def test_manifests_are_valid(path: Path) -> None:
    for resource in yaml.safe_load_all(path.read_text()):
        assert manifest_problems(resource) == []


def test_the_schemas_find_mistakes() -> None:
    resource = manifest("StatefulSet")
    resource["spec"]["template"]["spec"]["terminationGracePeriod"] = 300
    assert "'terminationGracePeriod' was unexpected" in manifest_problems(resource)[0]
    assert compose_problems({**COMPOSE, "services": {"flow": {"imagee": "x"}}}) != []


def test_the_compose_file_is_valid() -> None:
    assert compose_problems(COMPOSE) == []
    mounted = {volume.partition(":")[0] for service in COMPOSE["services"].values() for volume in service.get("volumes", ())}
    assert mounted == set(COMPOSE["volumes"])
    for service in COMPOSE["services"].values():
        assert all(COMPOSE["services"][other].get("healthcheck") for other in service.get("depends_on", ()))


def test_ports_of_the_compose_file_are_open_to_this_machine_only() -> None:
    ports = [port for service in COMPOSE["services"].values() for port in service.get("ports", ())]
    assert ports
    assert all(port.startswith("127.0.0.1:") for port in ports)


def test_images_have_versions() -> None:
    container = manifest("StatefulSet")["spec"]["template"]["spec"]["containers"][0]
    bases = [arguments.split()[0] for name, arguments in instructions(DOCKERFILE) if name == "FROM"]
    images = [*bases, container["image"], *(service["image"] for service in COMPOSE["services"].values())]
    assert [image for image in images if not PINNED.fullmatch(DIGEST.sub("", image))] == []
    ours = {"eddyline", "registry.example.com/eddyline"}
    assert [image for image in images if image.partition(":")[0] not in ours and not DIGEST.search(image)] == []


def test_the_image_installs_libraries_by_their_hashes_in_the_versions_of_the_constraints() -> None:
    found = re.findall(r"^(\S+)==(\S+)[^\\]*\\\n(?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+", REQUIREMENTS, flags=re.MULTILINE)
    assert len(found) == REQUIREMENTS.count("==")
    pinned = dict(re.findall(r"^([^\s=]+)==(\S+)", (ROOT / "constraints.txt").read_text(), flags=re.MULTILINE))
    assert {(canonicalize_name(name), version) for name, version in found} <= {
        (canonicalize_name(name), version) for name, version in pinned.items()
    }
    installs = [arguments for name, arguments in instructions(DOCKERFILE) if name == "RUN" and "pip install" in arguments]
    assert ["--require-hashes" in words or "--no-deps" in words for words in installs] == [True, True]


def test_the_image_installs_all_that_its_extras_need() -> None:
    names = {canonicalize_name(name) for name in re.findall(r"^(\S+)==", REQUIREMENTS, flags=re.MULTILINE)}
    environment: dict[str, str] = {
        **{name: str(value) for name, value in default_environment().items()},
        "python_version": "3.12",
        "python_full_version": "3.12.12",
        "sys_platform": "linux",
    }
    waiting = [("eddyline", extra) for extra in ("", "spark", "kafka", "avro", "protobuf", "web", "opentelemetry", "rocksdb")]
    seen = set(waiting)
    while waiting:
        name, extra = waiting.pop()
        for text in distribution(name).requires or ():
            requirement = Requirement(text)
            if requirement.marker is None or requirement.marker.evaluate({**environment, "extra": extra}):
                needed = {(canonicalize_name(requirement.name), each) for each in ("", *requirement.extras)}
                waiting += needed - seen
                seen |= needed
    assert {name for name, _ in seen} - {"eddyline"} <= names


def test_the_workflow_runs_actions_of_fixed_commits() -> None:
    used = [step["uses"] for job in WORKFLOW["jobs"].values() for step in job["steps"] if "uses" in step]
    assert [action for action in used if not re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", action)] == []


def test_all_that_the_image_copies_exists_and_is_in_the_build_context() -> None:
    ignored = (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines()
    included = {line.removeprefix("!") for line in ignored if line.startswith("!")}
    copied = [arguments.split() for name, arguments in instructions(DOCKERFILE) if name == "COPY"]
    sources = [source for words in copied if not words[0].startswith("--from") for source in words[:-1]]
    assert set(sources) == included
    assert [source for source in sources if not (ROOT / source).exists()] == []


def test_the_image_is_built_in_stages_and_does_not_run_as_root() -> None:
    named = instructions(DOCKERFILE)
    stages = [arguments.split()[-1] for name, arguments in named if name == "FROM"]
    assert len(stages) == 2
    assert [arguments for name, arguments in named if name == "USER"] == ["10001:10001"]
    assert all(
        arguments.split()[0] == f"--from={stages[0]}" for name, arguments in named if name == "COPY" and "--from" in arguments
    )
    for name, arguments in named:
        if name in ("CMD", "ENTRYPOINT"):
            assert json.loads(arguments), "a shell would not pass on signals"
        if "apt-get install" in arguments:
            assert "--no-install-recommends" in arguments
            assert "rm -rf /var/lib/apt/lists/*" in arguments
    assert "EDDYLINE_DATA_DIR=/var/lib/eddyline" in DOCKERFILE
    assert "EDDYLINE_CREATE_CLASS_ARCHIVE=false" in DOCKERFILE


def test_the_pod_is_restricted_and_keeps_its_state() -> None:
    spec = manifest("StatefulSet")["spec"]
    pod, container = spec["template"]["spec"], spec["template"]["spec"]["containers"][0]
    assert spec["replicas"] == 1
    assert (pod["securityContext"]["runAsNonRoot"], pod["securityContext"]["runAsUser"]) == (True, 10001)
    assert container["securityContext"]["readOnlyRootFilesystem"]
    assert pod["terminationGracePeriodSeconds"] >= 300
    sources = {claim["metadata"]["name"] for claim in spec["volumeClaimTemplates"]} | {
        volume["name"] for volume in pod["volumes"]
    }
    assert {mount["name"] for mount in container["volumeMounts"]} == sources
    assert {mount["mountPath"]: mount["name"] for mount in container["volumeMounts"]}["/var/lib/eddyline"] == "state"


def test_the_manifests_refer_to_each_other() -> None:
    spec = manifest("StatefulSet")["spec"]
    pod, labels = spec["template"]["spec"], spec["template"]["metadata"]["labels"]
    assert spec["selector"]["matchLabels"].items() <= labels.items()
    assert manifest("Service")["spec"]["selector"].items() <= labels.items()
    assert spec["serviceName"] == manifest("Service")["metadata"]["name"]
    assert pod["containers"][0]["envFrom"][0]["secretRef"]["name"] == manifest("Secret")["metadata"]["name"]
    config = next(volume for volume in pod["volumes"] if "configMap" in volume)
    assert config["configMap"]["name"] == manifest("ConfigMap")["metadata"]["name"]
    mounted = next(mount["mountPath"] for mount in pod["containers"][0]["volumeMounts"] if mount["name"] == config["name"])
    (file,) = manifest("ConfigMap")["data"]
    assert pod["containers"][0]["env"] == [{"name": "EDDYLINE_CONFIG", "value": f"{mounted}/{file}"}]


def test_the_network_policy_allows_what_the_settings_need_and_nothing_else() -> None:
    policy, settings = manifest("NetworkPolicy")["spec"], tomllib.loads(manifest("ConfigMap")["data"]["eddyline.toml"])
    assert policy["podSelector"] == manifest("StatefulSet")["spec"]["selector"]
    assert set(policy["policyTypes"]) == {"Ingress", "Egress"}
    assert [port["port"] for rule in policy["ingress"] for port in rule["ports"]] == [Settings().server_port]
    needed = {int(settings[name].rpartition(":")[2]) for name in ("bootstrap.servers", "schema.registry.url")}
    assert {port["port"] for rule in policy["egress"] for port in rule["ports"]} == {*needed, 53}
    assert all(rule.get("from") for rule in policy["ingress"])
    assert all(rule.get("to") for rule in policy["egress"])


def test_the_certificate_of_the_server_is_mounted_where_its_settings_look_for_it() -> None:
    settings = tomllib.loads(manifest("ConfigMap")["data"]["eddyline.toml"])
    spec = manifest("StatefulSet")["spec"]["template"]["spec"]
    (volume,) = [volume for volume in spec["volumes"] if "secret" in volume]
    (secret,) = [found for found in manifests("Secret") if found["metadata"]["name"] == volume["secret"]["secretName"]]
    mounted = next(mount["mountPath"] for mount in container()["volumeMounts"] if mount["name"] == volume["name"])
    assert {settings[f"server.tls.{part}.file"] for part in ("cert", "key")} == {
        f"{mounted}/{name}" for name in secret["stringData"]
    }


def test_eddyline_accepts_the_settings_of_the_manifests(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, value in manifest("Secret")["stringData"].items():
        monkeypatch.setenv(name, value)
    ((file, text),) = manifest("ConfigMap")["data"].items()
    tomllib.loads(text)
    (tmp_path / file).write_text(text)
    settings = Settings.load(config=tmp_path / file)
    assert (settings.log, settings.log_format, settings.value_codecs) == ("kafka", "json", {"logs": "json"})
    assert settings.kafka_properties()["sasl.password"] == "change-me"
    assert settings.registry_properties()["url"].startswith("https://")
    options = server_options(settings)
    assert options.scheme == "https"
    assert (options.host, options.token, options.operator_token) == ("0.0.0.0", "change-me-reader", "change-me-operator")  # noqa: S104
    assert settings.spark_properties()["spark.master"] == "local[2]"


def test_eddyline_accepts_the_settings_of_the_compose_file(monkeypatch: pytest.MonkeyPatch) -> None:
    required: dict[str, str] = {}
    for name, value in COMPOSE["services"]["flow"]["environment"].items():
        monkeypatch.setenv(name, re.sub(r"\$\{(\w+):\?.*\}", r"\1", value))
        required |= {name: value} if "TOKEN" in name else {}
    assert len(required) == 2
    assert all(value.startswith(f"${{{name}:?") for name, value in required.items()), "a token has no default"
    settings = Settings.load()
    assert settings.kafka_properties()["bootstrap.servers"] == "broker:9092"
    assert settings.registry_properties() == {"url": "http://registry:8080/apis/ccompat/v7"}
    assert (settings.default_value_codec, settings.value_codecs, settings.log_format) == ("avro", {"logs": "json"}, "json")
    assert settings.spark_properties()["spark.master"] == "local[2]"


@pytest.mark.parametrize(
    "words",
    [COMPOSE["services"]["flow"]["command"], manifest("StatefulSet")["spec"]["template"]["spec"]["containers"][0]["args"]],
)
def test_the_commands_are_those_of_eddyline(eddyline: Eddyline, words: list[str]) -> None:
    assert eddyline(*words, "--help").code == 0
    assert eddyline("topology", words[1]).code == 0


def test_the_probe_of_the_image_finds_a_process_by_its_name(tmp_path: Path) -> None:
    """The name is another one than java, which other tests run on this machine."""
    name = f"probed{os.getpid()}"
    program = shutil.copy(shutil.which("sleep") or "", tmp_path / name)
    command = json.loads(next(text for name, text in instructions(DOCKERFILE) if name == "HEALTHCHECK").partition("CMD ")[2])
    assert command[:2] == ["sh", "-c"]
    probe = [*command[:2], re.sub(r"\bjava\b", name, command[2])]
    assert probe != command
    assert subprocess.run(probe, check=False).returncode != 0
    with subprocess.Popen([program, "60"]) as running:
        try:
            assert subprocess.run(probe, check=False).returncode == 0
        finally:
            running.kill()


def test_the_probes_of_the_pod_ask_the_server_of_the_run() -> None:
    (port,) = container()["ports"]
    (offered,) = manifest("Service")["spec"]["ports"]
    assert "--serve" in container()["args"]
    assert port["containerPort"] == offered["port"] == Settings().server_port
    probes = {name: container()[name]["httpGet"] for name in ("startupProbe", "livenessProbe", "readinessProbe")}
    assert {probe["port"] for probe in probes.values()} == {port["name"], offered["targetPort"]}
    assert {probe["scheme"] for probe in probes.values()} == {"HTTPS"}
    queries = example_queries()
    options = ServerOptions(port=0, token="t")  # noqa: S106 - of a test
    with serving(queries, options) as server, httpx.Client(base_url=server.url, trust_env=False) as client:

        def statuses() -> list[int]:
            return [client.get(probe["path"]).status_code for probe in probes.values()]

        assert statuses() == [200, 200, 200]
        queries.refresh("stats", restoring=True)
        assert statuses() == [200, 200, 503]


def test_the_health_check_of_the_compose_file_asks_whether_the_server_is_ready() -> None:
    kind, python, *words = COMPOSE["services"]["flow"]["healthcheck"]["test"]
    assert (kind, python, words[0]) == ("CMD", "python", "-c")
    queries = example_queries()
    with serving(queries) as server:
        code = words[1].replace("http://127.0.0.1:8642", server.url)
        assert code != words[1]
        assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
        queries.refresh("stats", restoring=True)
        assert subprocess.run([sys.executable, "-c", code], check=False, capture_output=True).returncode == 1
