"""The files in deploy/ are valid by their schemas, fit together, and have settings that Eddyline accepts; none needs Docker."""

import copy
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Sequence
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

from eddyline.adapters.cli.service_file import find_service
from eddyline.adapters.settings import Settings
from eddyline.adapters.web.options import ServerOptions
from eddyline.adapters.wiring.web import server_options
from eddyline.application.samples.catalogue import find_flow
from tests.adapters.cli.conftest import Eddyline
from tests.fixtures.query_servers import serving
from tests.fixtures.state_queries import example_queries

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
DOCKERFILE = (DEPLOY / "Dockerfile").read_text()
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
KUBERNETES = json.loads((ROOT / "tests/schemas/kubernetes-1.37.0.json").read_text())
REQUIREMENTS = (DEPLOY / "requirements.txt").read_text()
CHART = DEPLOY / "helm/eddyline"
SAMPLE = DEPLOY / "helm/sample.yaml"
SECRETS = list(yaml.safe_load_all((DEPLOY / "helm/secrets.example.yaml").read_text()))
HELM = Path(sys.executable).with_name("helm")
PINNED = re.compile(r"[^\s:@]+(:\d+(/[^\s:@]+)?)?:\d+\.\d+[^\s:@]*")
DIGEST = re.compile(r"@sha256:[0-9a-f]{64}")
WORKFLOW = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text())


def instructions(dockerfile: str) -> list[tuple[str, str]]:
    """Return the instructions of a Dockerfile with their arguments on one line, without comments."""
    joined = re.sub(r"\\\n", " ", re.sub(r"^\s*#.*\n", "", dockerfile, flags=re.MULTILINE))
    words = [line.split(maxsplit=1) for line in joined.splitlines() if line.strip()]
    return [(name, " ".join(rest.split())) for name, rest in words]


def rendered(*options: str) -> list[Any]:
    """Return the resources of the chart with the values of the sample."""
    words = [str(word) for word in (HELM, "template", "prod", CHART, "--namespace", "flows", "--values", SAMPLE, *options)]
    output = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    return [found for found in yaml.safe_load_all(output) if found is not None]


@pytest.fixture(scope="module")
def resources() -> list[Any]:
    if not HELM.exists():
        pytest.skip("there is no helm for this platform among the development tools")
    return rendered()


def manifest(resources: Sequence[Any], kind: str, name: str) -> Any:
    (found,) = [found for found in resources if (found["kind"], found["metadata"]["name"]) == (kind, f"prod-{name}")]
    return found


def pod_of(resources: Sequence[Any], name: str) -> Any:
    return manifest(resources, "StatefulSet", name)["spec"]["template"]["spec"]


WORKLOADS = ("notifications", "log-triage")
OF_WORKLOADS = pytest.mark.parametrize("name", WORKLOADS)


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


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Keep the settings of the machine out of the tests."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("EDDYLINE_")]:
        monkeypatch.delenv(name)


def test_manifests_are_valid(resources: list[Any]) -> None:
    kinds = {resource["kind"] for resource in resources}
    assert kinds == {"ConfigMap", "NetworkPolicy", "PodDisruptionBudget", "ScaledObject", "Service", "StatefulSet"}
    for resource in (*resources, *SECRETS):
        assert manifest_problems(resource) == []


def test_the_schemas_find_mistakes(resources: list[Any]) -> None:
    resource = copy.deepcopy(manifest(resources, "StatefulSet", "notifications"))
    resource["spec"]["template"]["spec"]["terminationGracePeriod"] = 300
    assert "'terminationGracePeriod' was unexpected" in manifest_problems(resource)[0]
    (scaled,) = copy.deepcopy([found for found in resources if found["kind"] == "ScaledObject"])
    scaled["spec"]["triggers"][0]["metadata"]["lagThreshold"] = 1_000
    scaled["spec"]["maxReplicas"] = 6
    assert {problem.partition(":")[0] for problem in manifest_problems(scaled)} == {
        "$.spec",
        "$.spec.triggers[0].metadata.lagThreshold",
    }
    assert compose_problems({**COMPOSE, "services": {"flow": {"imagee": "x"}}}) != []


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("workloads.log-triage.replicas=2", "workloads.log-triage.replicas"),
        ("workloads.notifications.engine=flink", "workloads.notifications.engine"),
        ("workloads.notifications.replica=2", "replica"),
        ("workloads=null", "no workloads; give some"),
    ],
)
def test_the_chart_refuses_values_that_cannot_run(resources: list[Any], value: str, problem: str) -> None:
    assert resources
    with pytest.raises(subprocess.CalledProcessError) as raised:
        rendered("--set", value)
    assert problem in raised.value.stderr


def test_the_chart_has_no_lint() -> None:
    if not HELM.exists():
        pytest.skip("there is no helm for this platform among the development tools")
    linted = subprocess.run([HELM, "lint", "--strict", CHART, "--values", SAMPLE], check=False, capture_output=True, text=True)
    assert linted.returncode == 0, linted.stdout


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


def test_images_have_versions(resources: list[Any]) -> None:
    pods = [pod_of(resources, name)["containers"][0]["image"] for name in WORKLOADS]
    bases = [arguments.split()[0] for name, arguments in instructions(DOCKERFILE) if name == "FROM"]
    images = [*bases, *pods, *(service["image"] for service in COMPOSE["services"].values())]
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


@OF_WORKLOADS
def test_pods_are_restricted_and_keep_their_state(resources: list[Any], name: str) -> None:
    spec = manifest(resources, "StatefulSet", name)["spec"]
    pod, container = spec["template"]["spec"], spec["template"]["spec"]["containers"][0]
    assert (pod["securityContext"]["runAsNonRoot"], pod["securityContext"]["runAsUser"]) == (True, 10001)
    assert container["securityContext"]["readOnlyRootFilesystem"]
    assert pod["terminationGracePeriodSeconds"] >= 300
    sources = {claim["metadata"]["name"] for claim in spec["volumeClaimTemplates"]} | {
        volume["name"] for volume in pod["volumes"]
    }
    assert {mount["name"] for mount in container["volumeMounts"]} == sources
    assert {mount["mountPath"]: mount["name"] for mount in container["volumeMounts"]}["/var/lib/eddyline"] == "state"


def test_replicas_of_local_flows_are_scaled_and_spark_has_one(resources: list[Any]) -> None:
    sets = {name: manifest(resources, "StatefulSet", name)["spec"] for name in WORKLOADS}
    assert sets["log-triage"]["replicas"] == 1
    assert "replicas" not in sets["notifications"], "the autoscaler sets them"
    (scaled,) = [found for found in resources if found["kind"] == "ScaledObject"]
    assert scaled["spec"]["scaleTargetRef"] == {"kind": "StatefulSet", "name": "prod-notifications"}
    assert (scaled["spec"]["minReplicaCount"], scaled["spec"]["maxReplicaCount"]) == (3, 6)
    (trigger,) = scaled["spec"]["triggers"]
    assert find_flow(trigger["metadata"]["consumerGroup"]).topology().source_topic(trigger["metadata"]["topic"]) is not None
    (authentication,) = [found for found in SECRETS if found["kind"] == "TriggerAuthentication"]
    assert authentication["metadata"]["name"] == trigger["authenticationRef"]["name"]
    secrets = {found["metadata"]["name"]: found["stringData"] for found in SECRETS if found["kind"] == "Secret"}
    assert all(ref["key"] in secrets[ref["name"]] for ref in authentication["spec"]["secretTargetRef"])
    fixed = rendered("--set", "workloads.notifications.autoscaling.enabled=false")
    assert manifest(fixed, "StatefulSet", "notifications")["spec"]["replicas"] == 3


@OF_WORKLOADS
def test_the_manifests_refer_to_each_other(resources: list[Any], name: str) -> None:
    spec = manifest(resources, "StatefulSet", name)["spec"]
    pod, labels = spec["template"]["spec"], spec["template"]["metadata"]["labels"]
    headless, queries = (manifest(resources, "Service", each) for each in (name, f"{name}-queries"))
    selectors = (spec["selector"]["matchLabels"], headless["spec"]["selector"], queries["spec"]["selector"])
    assert all(selector.items() <= labels.items() for selector in selectors)
    assert manifest(resources, "PodDisruptionBudget", name)["spec"] == {"maxUnavailable": 1, "selector": spec["selector"]}
    assert spec["serviceName"] == headless["metadata"]["name"]
    assert headless["spec"]["clusterIP"] == "None"
    assert "clusterIP" not in queries["spec"]
    assert pod["containers"][0]["envFrom"][0]["secretRef"]["name"] == SECRETS[0]["metadata"]["name"]
    config = next(volume for volume in pod["volumes"] if "configMap" in volume)
    assert config["configMap"]["name"] == manifest(resources, "ConfigMap", name)["metadata"]["name"]
    mounted = next(mount["mountPath"] for mount in pod["containers"][0]["volumeMounts"] if mount["name"] == config["name"])
    files = {f"{mounted}/{file}" for file in manifest(resources, "ConfigMap", name)["data"]}
    environment = {entry["name"]: entry.get("value") for entry in pod["containers"][0]["env"]}
    command, file = pod["containers"][0]["args"]
    assert (command, {file, environment["EDDYLINE_CONFIG"]}) == ("up", files)
    assert environment["EDDYLINE_APPLICATION_SERVER"] == f"$(POD_NAME).prod-{name}.flows.svc:8642"


@OF_WORKLOADS
def test_the_network_policy_allows_what_the_settings_need_and_nothing_else(resources: list[Any], name: str) -> None:
    policy = manifest(resources, "NetworkPolicy", name)["spec"]
    settings = tomllib.loads(manifest(resources, "ConfigMap", name)["data"]["eddyline.toml"])
    assert policy["podSelector"] == manifest(resources, "StatefulSet", name)["spec"]["selector"]
    assert set(policy["policyTypes"]) == {"Ingress", "Egress"}
    server = Settings().server_port
    assert [port["port"] for rule in policy["ingress"] for port in rule["ports"]] == [server]
    needed = {int(settings[each].rpartition(":")[2]) for each in ("bootstrap.servers", "schema.registry.url")}
    assert {port["port"] for rule in policy["egress"] for port in rule["ports"]} == {*needed, server, 53}
    assert all(rule.get("from") for rule in policy["ingress"])
    assert all(rule.get("to") for rule in policy["egress"])


@OF_WORKLOADS
def test_the_certificate_of_the_server_is_mounted_where_its_settings_look_for_it(resources: list[Any], name: str) -> None:
    settings = tomllib.loads(manifest(resources, "ConfigMap", name)["data"]["eddyline.toml"])
    pod = pod_of(resources, name)
    (volume,) = [volume for volume in pod["volumes"] if "secret" in volume]
    (secret,) = [found for found in SECRETS if found["metadata"]["name"] == volume["secret"]["secretName"]]
    mounted = next(mount["mountPath"] for mount in pod["containers"][0]["volumeMounts"] if mount["name"] == volume["name"])
    assert {settings[f"server.tls.{part}.file"] for part in ("cert", "key")} == {
        f"{mounted}/{name}" for name in secret["stringData"]
    }


@OF_WORKLOADS
def test_eddyline_accepts_the_settings_and_the_services_of_the_chart(
    eddyline: Eddyline, resources: list[Any], name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for variable, value in SECRETS[0]["stringData"].items():
        monkeypatch.setenv(variable, value)
    monkeypatch.setenv("EDDYLINE_APPLICATION_SERVER", f"prod-{name}-0.prod-{name}.flows.svc:8642")
    for file, text in manifest(resources, "ConfigMap", name)["data"].items():
        (tmp_path / file).write_text(text)
    service, _ = find_service(str(tmp_path / "service.toml"))
    settings = Settings.load(config=tmp_path / "eddyline.toml", service=[("service.toml", service.settings)])
    assert (settings.log, settings.log_format, settings.default_value_codec) == ("kafka", "json", "avro")
    assert settings.kafka_properties()["sasl.password"] == "change-me"
    assert settings.registry_properties()["url"].startswith("https://")
    options = server_options(settings)
    assert options.scheme == "https"
    assert (options.host, options.token, options.operator_token) == ("0.0.0.0", "change-me-reader", "change-me-operator")  # noqa: S104
    assert (settings.engine, settings.server_partitions) == (("local", "shared") if name == "notifications" else ("spark", "all"))
    if settings.engine == "spark":
        assert settings.spark_properties()["spark.master"] == "local[2]"
    if settings.engine == "local":
        ran = eddyline(
            *("up", "service.toml", "--config", "eddyline.toml", "--available-now", "--log", "files"),
            *("--set", "default.value.codec=json", "--set", "server.partitions=all", "--create-topics"),
        )
        assert ran.code == 0, ran.err


FLOW_SERVICES = {name: service for name, service in COMPOSE["services"].items() if "command" in service}


@pytest.mark.parametrize("name", FLOW_SERVICES)
def test_the_commands_of_the_compose_file_are_those_of_eddyline(
    eddyline: Eddyline, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They run in files, without services and Spark."""
    words = FLOW_SERVICES[name]["command"]
    assert words[0] == "run"
    for variable, value in FLOW_SERVICES[name]["environment"].items():
        monkeypatch.setenv(variable, value)
    for variable in (
        "EDDYLINE_BOOTSTRAP_SERVERS",
        "EDDYLINE_LOG_FORMAT",
        "EDDYLINE_DEFAULT_VALUE_CODEC",
        "EDDYLINE_SPARK_MASTER",
    ):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("EDDYLINE_LOG", "files")
    kept = [word for word in words if word not in ("--serve", "--engine", "local", "--host", "0.0.0.0")]  # noqa: S104
    ran = eddyline(*kept, "--engine", "local", "--no-serve", "--available-now")
    assert ran.code == 0, ran.err


@OF_WORKLOADS
def test_the_probes_of_the_pod_ask_the_server_of_the_run(resources: list[Any], name: str) -> None:
    container = pod_of(resources, name)["containers"][0]
    (port,) = container["ports"]
    (offered,) = manifest(resources, "Service", f"{name}-queries")["spec"]["ports"]
    assert port["containerPort"] == offered["port"] == Settings().server_port
    probes = {each: container[each]["httpGet"] for each in ("startupProbe", "livenessProbe", "readinessProbe")}
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


@pytest.mark.parametrize("name", FLOW_SERVICES)
def test_eddyline_accepts_the_settings_of_the_compose_file(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    required: dict[str, str] = {}
    for variable, value in FLOW_SERVICES[name]["environment"].items():
        monkeypatch.setenv(variable, re.sub(r"\$\{(\w+):\?.*\}", r"\1", value))
        required |= {variable: value} if "TOKEN" in variable else {}
    assert len(required) == 2
    assert all(value.startswith(f"${{{variable}:?") for variable, value in required.items()), "a token has no default"
    settings = Settings.load()
    assert settings.kafka_properties()["bootstrap.servers"] == "broker:9092"
    assert settings.registry_properties() == {"url": "http://registry:8080/apis/ccompat/v7"}
    assert (settings.default_value_codec, settings.log_format) == ("avro", "json")


@pytest.mark.parametrize("name", FLOW_SERVICES)
def test_the_health_check_of_the_compose_file_asks_whether_the_server_is_ready(name: str) -> None:
    kind, python, *words = FLOW_SERVICES[name]["healthcheck"]["test"]
    assert (kind, python, words[0]) == ("CMD", "python", "-c")
    queries = example_queries()
    with serving(queries) as server:
        code = words[1].replace("http://127.0.0.1:8642", server.url)
        assert code != words[1]
        assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
        queries.refresh("stats", restoring=True)
        assert subprocess.run([sys.executable, "-c", code], check=False, capture_output=True).returncode == 1
