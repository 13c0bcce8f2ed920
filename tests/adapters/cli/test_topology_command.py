import json

import pytest

from eddyline.application.samples.catalogue import FLOWS
from tests.adapters.cli.conftest import Eddyline

BY_NAME = {flow.name: flow for flow in FLOWS}


def test_a_topology_is_printed_as_text(eddyline: Eddyline) -> None:
    assert eddyline("topology", "word-count") == (0, BY_NAME["word-count"].topology().describe() + "\n", "")


def test_a_topology_built_by_hand_is_printed_as_kafka_streams_describes_it(eddyline: Eddyline) -> None:
    outcome = eddyline("topology", "product-counter")
    assert outcome.code == 0
    assert (
        outcome.out.rstrip()
        == """\
Topologies:
   Sub-topology: 0
    Source: views (topics: [product-views])
      --> count-products
    Processor: count-products (stores: [Counts])
      --> counts
      <-- views
    Sink: counts (topic: product-counts)
      <-- count-products"""
    )


def test_a_topology_is_printed_as_a_flowchart(eddyline: Eddyline) -> None:
    outcome = eddyline("topology", "word-count", "--format", "mermaid")
    assert outcome.out == BY_NAME["word-count"].topology().mermaid() + "\n"


def test_settings_of_the_flow_shape_the_topology(eddyline: Eddyline) -> None:
    by_store = eddyline("topology", "inventory").out
    by_record_key = eddyline("topology", "inventory", "--set", "rekey=false").out
    assert "repartition" in by_store
    assert "repartition" not in by_record_key


def test_settings_of_the_flow_may_come_from_the_file(eddyline: Eddyline, tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.mktemp("settings") / "my.toml"
    file.write_text("[flows.inventory]\nrekey = false\n")
    by_file = eddyline("topology", "inventory", "--config", file)
    assert by_file.code == 0
    assert "repartition" not in by_file.out
    assert "repartition" in eddyline("topology", "inventory", "--config", file, "--set", "rekey=true").out


@pytest.mark.parametrize("value", ['["a", "the"]', "a,the", " a, the"])
def test_a_list_is_given_as_json_or_with_commas(eddyline: Eddyline, value: str) -> None:
    assert eddyline("topology", "word-count", "--set", f"stop_words={value}").code == 0


def test_a_value_of_a_wrong_type_is_refused(eddyline: Eddyline) -> None:
    outcome = eddyline("topology", "stock-stats", "--set", "size_ms=soon")
    assert outcome.code == 2
    assert outcome.err == "error: invalid value 'soon' for setting 'size_ms' of flow 'stock-stats': must be of type int\n"


def test_two_versions_of_a_flow_are_compared(eddyline: Eddyline, tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.mktemp("descriptions") / "old.json"
    file.write_text(eddyline("topology", "stock-stats", "--format", "json").out)
    assert eddyline("topology", "diff", file, "stock-stats") == (0, "no changes; functions are not compared\n", "")
    outcome = eddyline("topology", "diff", file, "stock-stats", "--set", "size_ms=7000", "--set", "advance_ms=7000")
    assert outcome.code == 1
    assert outcome.out.startswith("breaks state: store 'trade-aggregates' had windows TimeWindows(size_ms=5000, advance_ms=1000)")


@pytest.mark.parametrize(
    ("content", "problem"), [("{}", "no description of a topology (KeyError: 'format')"), ("topology", "is not JSON")]
)
def test_a_file_that_describes_no_topology_is_refused(
    eddyline: Eddyline, tmp_path_factory: pytest.TempPathFactory, content: str, problem: str
) -> None:
    file = tmp_path_factory.mktemp("descriptions") / "old.json"
    file.write_text(content)
    outcome = eddyline("topology", "diff", file, "stock-stats")
    assert outcome.code == 2
    assert problem in outcome.err


def test_a_topology_is_shown_by_default(eddyline: Eddyline) -> None:
    assert eddyline("topology", "show", "word-count") == eddyline("topology", "word-count")


def test_changes_and_plans_are_objects_for_programs(eddyline: Eddyline, tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.mktemp("descriptions") / "old.json"
    file.write_text(eddyline("topology", "stock-stats", "--format", "json").out)
    changed = eddyline(
        "topology", "diff", file, "stock-stats", "--set", "size_ms=7000", "--set", "advance_ms=7000", "--format", "json"
    )
    assert [json.loads(line)["verdict"] for line in changed.out.splitlines()] == ["breaks state"]
    planned = eddyline("topology", "product-counter", "--plan", "--format", "json").out.splitlines()
    reasons = {found["node"]: found["one_by_one"] for found in map(json.loads, planned)}
    assert reasons["count-products"].startswith("a processor is called for each record")
    for words in (["--plan", "--format", "mermaid"], ["--explain", "spark", "--format", "json"]):
        refused = eddyline("topology", "product-counter", *words)
        assert (refused.code, refused.err) == (
            2,
            f"error: --format {words[-1]} does not go with {words[0]}; leave one of them out\n",
        )


def test_the_plan_says_how_the_records_of_each_operator_are_processed(eddyline: Eddyline) -> None:
    outcome = eddyline("topology", "stock-stats", "--plan")
    assert outcome.code == 0
    assert outcome.out.startswith("Sub-topology 0\n   ")
    assert "one by one" not in outcome.out
    by_processor = eddyline("topology", "product-counter", "--plan").out
    assert "   count-products: one by one, since a processor is called for each record; use operators of the DSL" in by_processor
    assert "   views: one by one, since a processor punctuates by stream time" in by_processor
