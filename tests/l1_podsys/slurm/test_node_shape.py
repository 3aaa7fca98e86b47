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


GIB = 2**30


def with_gpus(numa: list[str], *, sockets: int = 2, cores: int = 32, near: list[int | None]) -> NodeFacts:
    return facts(
        {
            "node": "cn1",
            "cpu": {"sockets": sockets, "cores": cores, "threads": 2 * cores},
            "cpus_usable": 2 * cores,
            "memory": {"total_bytes": 512 * GIB},
            "numa": [{"id": at, "cpus": cpus} for at, cpus in enumerate(numa)],
            "accelerators": [
                {"id": f"nvidia:{at}", "vendor": "nvidia", "index": at, "model": "X", "numa_node": node}
                for at, node in enumerate(near)
            ],
        }
    )


TWO = ["0-15,32-47", "16-31,48-63"]


@pytest.mark.parametrize(
    ("numa", "near", "cores"),
    [
        (TWO, [0, 0, 1, 1], ("0-15", "0-15", "16-31", "16-31")),
        (["0-7,32-39", "8-15,40-47", "16-23,48-55", "24-31,56-63"], [3, 0], ("24-31", "0-7")),
        (TWO, [0, None], ()),
        (TWO, [0, 5], ()),
        (["0-63"], [0], ()),
        (["0-15,32-47", "16-31"], [0, 1], ()),
        (["0-15,32-47", "sixteen"], [0, 1], ()),
        ([], [0, 1], ()),
    ],
)
def test_cores_next_to_accelerators_are_told_where_they_are_sure(
    numa: list[str], near: list[int | None], cores: tuple[str, ...]
) -> None:
    """Physical cores, counted socket by socket: half of the logical CPUs where a core has two threads."""
    (devices,) = shape_of(with_gpus(numa, near=near), "default").devices
    assert devices.cores == cores


def test_one_socket_has_all_cores_next_to_its_accelerators() -> None:
    (devices,) = shape_of(with_gpus(["0-31,32-63"], sockets=1, near=[0, 0]), "default").devices
    assert devices.cores == ("0-31", "0-31")


@pytest.mark.parametrize(
    "known", [{"memory": {"total_bytes": 2**34}}, {"cpu": {"threads": 4}}], ids=["no CPUs", "no memory"]
)
def test_unknown_is_not_zero(known: dict[str, Any]) -> None:
    with pytest.raises(FactsMissingError, match="cn7"):
        shape_of(facts({"node": "cn7", **known}), "default")
