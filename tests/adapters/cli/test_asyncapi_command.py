"""`eddyline asyncapi` prints the same document as YAML and as JSON."""

import json

import yaml

from tests.adapters.cli.conftest import Eddyline


def test_yaml_and_json_hold_the_same_document(eddyline: Eddyline) -> None:
    as_yaml, as_json = eddyline("asyncapi", "inventory"), eddyline("asyncapi", "inventory", "--format", "json")
    assert (as_yaml.code, as_yaml.err, as_json.code, as_json.err) == (0, "", 0, "")
    document = yaml.safe_load(as_yaml.out)
    assert document == json.loads(as_json.out)
    assert (document["asyncapi"], document["info"]["title"]) == ("3.0.0", "inventory")
    assert "&id" not in as_yaml.out, "schemas are written out, not as aliases"


def test_options_choose_application_version_brokers_and_codecs(eddyline: Eddyline) -> None:
    options = ("--application-id", "stats", "--version", "v2", "--bootstrap-servers", "broker:1", "--api-version", "3.1.4")
    outcome = eddyline("asyncapi", "stock-stats", *options, "--set", "value.codecs.trades=avro")
    document = yaml.safe_load(outcome.out)
    assert document["info"]["version"] == "3.1.4"
    assert document["servers"] == {"kafka": {"host": "broker:1", "protocol": "kafka"}}
    assert {"trades", "stock-stats-v2", "stats-v2-dead-letters"} == set(document["channels"])
    assert document["operations"]["receive-trades"]["bindings"]["kafka"]["groupId"]["enum"] == ["stats-v2"]
    assert document["channels"]["trades"]["messages"]["Trade"]["contentType"] == "application/vnd.apache.avro"


def test_a_type_that_a_codec_cannot_represent_is_an_error_of_usage(eddyline: Eddyline) -> None:
    outcome = eddyline("asyncapi", "stock-stats", "--set", "value.codecs.trades=long")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("error: the values of topic 'trades' (setting value.codecs.trades) are of type 'Trade'")
