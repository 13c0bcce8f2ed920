"""`eddyline why` for results in Kafka, whose offsets are interrupted by the markers of transactions."""

import json
import uuid
from pathlib import Path

from eddyline.adapters.services.broker import Broker
from tests.adapters.cli.conftest import Eddyline

FLOW = """
from eddyline.application.flows.flow import Flow


def counts(builder):
    builder.stream("{topic}", key=str, value=str).group_by(lambda _key, value: value, key=str, name="by-word").count(
        store="words"
    ).to_stream().to("{topic}-counts")


FLOWS = (Flow("counting", "Counts words.", counts),)
"""


def test_a_result_in_kafka_has_its_input_records(eddyline: Eddyline, tmp_path: Path, kafka_broker: Broker) -> None:
    topic = f"words-{uuid.uuid4().hex[:12]}"
    (tmp_path / "counting.py").write_text(FLOW.replace("{topic}", topic))
    brokers = ("--bootstrap-servers", kafka_broker.bootstrap_servers)
    for word in ("be", "to", "be"):  # three transactions of the input, and one of the output
        (tmp_path / "lines.txt").write_text(f"{word}\n")
        assert eddyline("produce", topic, "--file", "lines.txt", "--create-topics", "--partitions", "1", *brokers).code == 0
    flow = ("counting", "--flows", "counting", "--application-id", topic, *brokers)
    run = eddyline("run", *flow, "--engine", "memory", "--available-now", "--create-topics", "--set", "num.partitions=1")
    assert run.code == 0, run.err

    shown = eddyline("consume", f"{topic}-counts", "--until-end", "--format", "json", *brokers, "--value-codec", "string")
    results = {(line["key"], line["value"]): line["offset"] for line in map(json.loads, shown.out.splitlines())}
    found = eddyline("why", *flow[:1], f"{topic}-counts", f"0:{results['be', '2']}", *flow[1:], "--format", "json")
    assert found.code == 0, found.err
    answer = json.loads(found.out)
    assert [(record["topic"], record["value"]) for record in answer["inputs"]] == [(topic, "be"), (topic, "be")]
    assert (answer["verified"], [record["neutral"] for record in answer["inputs"]]) == (True, [False, False])

    fate = eddyline("why", *flow[:1], topic, f"0:{answer['inputs'][0]['offset']}", *flow[1:])
    assert "is part of 2 results:" in fate.out
    assert f"{topic}-counts 0:{results['be', '1']}" in fate.out
