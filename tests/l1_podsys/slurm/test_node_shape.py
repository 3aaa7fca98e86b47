"""What Slurm is told of a node follows from its facts, and never from a guess."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from l0_infra.core.errors import FactsMissingError
from l0_infra.schemas import NodeFacts
from l1_podsys.slurm import node_conf_line, shape_of

CASES: list[dict[str, Any]] = yaml.safe_load(
    (Path(__file__).parent / "cases/shapes/shapes.yaml").read_text("utf-8")
)


def facts(fields: dict[str, Any]) -> NodeFacts:
    return msgspec.convert({"kind": "node_facts", "probed_at": 0.0, **fields}, NodeFacts)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_node_is_told_as_it_was_found(case: dict[str, Any]) -> None:
    shape = shape_of(facts(case["facts"]), case["node_class"])
    assert node_conf_line(shape) == case["line"]
    assert [list(one.files) for one in shape.devices] == case["files"]
    assert [one.cores for one in shape.devices] == case.get("cores", [""] * len(shape.devices))


@pytest.mark.parametrize(
    "known", [{"memory": {"total_bytes": 2**34}}, {"cpu": {"threads": 4}}], ids=["no CPUs", "no memory"]
)
def test_unknown_is_not_zero(known: dict[str, Any]) -> None:
    with pytest.raises(FactsMissingError, match="cn7"):
        shape_of(facts({"node": "cn7", **known}), "default")
