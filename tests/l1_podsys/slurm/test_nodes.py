"""What Slurm 22.05 and 24.11 print of nodes, as text and as JSON, is read as the same nodes."""

from pathlib import Path

import pytest

from l0_infra.core.errors import EngineError
from l1_podsys.slurm import SlurmNode, count_gres, parse_nodes_json, parse_nodes_text

CASES = Path(__file__).parent / "cases"
OWN = "ogai:gate disk.full: / 99 % of its space (kim, 2026-12-01T02:00:00Z)"


def case(name: str) -> str:
    return (CASES / name).read_text()


def told(node: SlurmNode) -> tuple[object, ...]:
    return (node.name, node.state, node.cpus, node.cpus_allocated, node.memory_bytes, node.reason)


def test_all_nodes_of_22_05() -> None:
    first, second, third = parse_nodes_text(case("22.05-oneliner.txt"))
    assert told(first) == ("cn01", "IDLE", 2, 0, 20000 * 2**20, "")
    assert told(second) == ("cn02", "DRAIN+IDLE", 2, 0, 20000 * 2**20, "odd noise")
    assert told(third)[-1] == OWN
    assert (second.reason_by, second.reason_at) == ("root", "2026-12-01T02:33:24")
    assert [node.slurm_version for node in (first, second, third)] == ["22.05.8"] * 3
    assert [node.gres for node in (first, second)] == ["", ""]


@pytest.mark.parametrize("release", ["22.05", "24.11"])
def test_one_line_and_many_lines_are_the_same_node(release: str) -> None:
    (alone,) = parse_nodes_text(case(f"{release}-many-lines.txt"))
    assert alone in parse_nodes_text(case(f"{release}-oneliner.txt"))


def test_text_and_json_of_22_05_agree() -> None:
    assert [told(node) for node in parse_nodes_json(case("22.05-sinfo.json"))] == [
        told(node) for node in parse_nodes_text(case("22.05-oneliner.txt"))
    ]


def test_text_and_json_of_24_11_agree_and_a_comment_behind_the_reason_is_no_part_of_it() -> None:
    (text,), (json,) = (
        parse_nodes_text(case("24.11-oneliner.txt")),
        parse_nodes_json(case("24.11-scontrol.json")),
    )
    assert told(text) == told(json)
    assert text.reason == "ogai:kim fan 3 is loud (kim, 2026-12-01T02:00:00Z)"
    assert (text.slurm_version, json.slurm_version) == ("24.11.5", "24.11.5")
    assert count_gres(text.gres, "gpu") == count_gres(json.gres, "gpu") == 2


@pytest.mark.parametrize(
    ("state", "down", "drained", "busy"),
    [
        ("IDLE", False, False, False),
        ("MIXED", False, False, True),
        ("IDLE+COMPLETING", False, False, True),
        ("ALLOCATED+DRAIN", False, True, True),
        ("DOWN+NOT_RESPONDING", True, False, False),
        ("IDLE+NOT_RESPONDING", True, False, False),
        ("UNKNOWN+DRAIN+INVALID_REG", True, True, False),
        ("IDLE*", False, False, False),
    ],
)
def test_states(state: str, down: bool, drained: bool, busy: bool) -> None:
    (node,) = parse_nodes_text(f"NodeName=a1 State={state} CPUTot=4")
    assert (node.down, node.drained, node.busy) == (down, drained, busy)


def test_what_is_no_node_gives_none() -> None:
    assert parse_nodes_text("Node a9 not found\n") == ()
    with pytest.raises(EngineError, match="JSON"):
        parse_nodes_json("slurm_load_node error: Unable to contact slurm controller")


@pytest.mark.parametrize(
    ("gres", "count"),
    [
        ("", 0),
        ("gpu:3", 3),
        ("gpu:a100:8(S:0-1),shard:a100:32(S:0-1)", 8),
        ("gpu:h100:4,gpu:l4:2(S:1)", 6),
        ("gpu", 1),
        ("shard:64,npu:ascend910:8", 0),
    ],
)
def test_generic_resources_are_counted_by_name(gres: str, count: int) -> None:
    assert count_gres(gres, "gpu") == count
