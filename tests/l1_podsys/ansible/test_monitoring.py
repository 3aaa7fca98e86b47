"""Every figure that an alert or the dashboard asks for is one that an exporter tells, and says what is to be done."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import yaml

FILES = Path(str(files("l1_podsys"))) / "ansible/roles/prometheus/files"
KNOWN = Path(__file__).parents[2] / "cases/metrics"
OWN = {"up", "ALERTS"}
WORDS = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
LANGUAGE = {"abs", "avg", "by", "count", "increase", "min", "on", "or", "rate", "sum", "and", "unless"}


def rules() -> list[dict[str, Any]]:
    groups = yaml.safe_load((FILES / "rules.yml").read_text("utf-8"))["groups"]
    return [rule for group in groups for rule in group["rules"]]


def dashboard() -> dict[str, Any]:
    return dict(json.loads((FILES / "dashboard.json").read_text("utf-8")))


def queries() -> Iterator[tuple[str, str]]:
    for rule in rules():
        yield f"alert {rule['alert']}", rule["expr"]
    for panel in dashboard()["panels"]:
        for target in panel.get("targets", ()):
            yield f"panel {panel['title']} {target['refId']}", target["expr"]


def metrics_of(query: str) -> set[str]:
    """Name what a query asks for: every word that is neither a label, nor in quotes, nor of the language."""
    bare = re.sub(r"\{[^}]*\}|\[[^\]]*\]|\b(by|on|without)\s*\([^)]*\)|\"[^\"]*\"", " ", query)
    return set(WORDS.findall(bare)) - LANGUAGE


def known() -> set[str]:
    lines = "\n".join(file.read_text("utf-8") for file in KNOWN.glob("*.txt")).splitlines()
    return {line for line in lines if line and not line.startswith("#")} | OWN


def test_there_are_queries_and_each_asks_for_something() -> None:
    assert len(list(queries())) > 30
    assert all(metrics_of(query) for _, query in queries())


def test_every_figure_that_is_asked_for_is_told_by_an_exporter() -> None:
    unknown = {where: metrics_of(query) - known() for where, query in queries()}
    assert {where: names for where, names in unknown.items() if names} == {}


def test_a_misspelt_figure_would_be_found() -> None:
    assert metrics_of('rate(node_cpu_secondss_total{mode="idle"}[5m])') - known() == {
        "node_cpu_secondss_total"
    }


def test_every_alert_names_the_node_says_how_bad_it_is_and_how_to_mend_it() -> None:
    for rule in rules():
        assert rule["labels"]["severity"] in ("warning", "critical"), rule["alert"]
        assert "$labels.node" in rule["annotations"]["summary"], rule["alert"]
        assert rule["annotations"]["mend"], rule["alert"]


def test_panels_have_numbers_of_their_own_and_do_not_overlap() -> None:
    panels = dashboard()["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    taken: set[tuple[int, int]] = set()
    for panel in panels:
        place = panel["gridPos"]
        cells = {(place["x"] + x, place["y"] + y) for x in range(place["w"]) for y in range(place["h"])}
        assert place["x"] + place["w"] <= 24
        assert not cells & taken, panel["title"]
        taken |= cells


@pytest.mark.real
def test_prometheus_takes_the_rules(tmp_path: Path) -> None:
    promtool = shutil.which("promtool")
    if promtool is None:
        pytest.skip("needs promtool (Debian: prometheus)")
    subprocess.run([promtool, "check", "rules", str(FILES / "rules.yml")], check=True)
    queries_as_rules = [
        {"record": f"query{number}", "expr": query.replace("$node", ".*")}
        for number, (_, query) in enumerate(queries())
    ]
    file = tmp_path / "dashboard.yml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "all", "rules": queries_as_rules}]}))
    subprocess.run([promtool, "check", "rules", str(file)], check=True)
