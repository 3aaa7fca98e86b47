"""Kills for want of memory are counted in both versions of control groups, on hosts and in containers."""

from pathlib import Path

import pytest

from l3_modeltools.memory import count_oom_kills
from tests.support.control_groups import BOTH, DOCKER_V1, V1, V2, lay_out

EVENTS = "low 0\nhigh 3\nmax 12\noom 2\noom_kill 4\noom_group_kill 0\n"
CONTROL = "oom_kill_disable 0\nunder_oom 0\noom_kill 5\n"
MEMBER = "9:name=systemd:/\n4:cpu,memory:/job/7\n0::/\n"


@pytest.mark.parametrize(
    ("membership", "mounts", "files", "kills"),
    [
        ("0::/user.slice/job\n", V2, {"user.slice/job/memory.events": EVENTS}, 4),
        ("0::/not/mounted/here\n", V2, {"memory.events": EVENTS}, 4),
        (MEMBER, V1, {"memory/job/7/memory.oom_control": CONTROL}, 5),
        ("4:memory:/docker/4f0c\n", DOCKER_V1, {"memory/memory.oom_control": CONTROL}, 5),
        (MEMBER, BOTH, {"memory/job/7/memory.oom_control": CONTROL, "unified/memory.events": EVENTS}, 5),
        ("1:memory:/\n", V1, {"memory/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\n"}, None),
        ("0::/a/b\n", V2, {"a/memory.events": EVENTS}, None),
        ("0::/\n", V2, {}, None),
    ],
    ids=[
        "v2",
        "v2 container",
        "v1",
        "v1 container",
        "both",
        "old kernel",
        "of a group above others are told too",
        "root group",
    ],
)
def test_kills_are_counted(
    tmp_path: Path, membership: str, mounts: str, files: dict[str, str], kills: int | None
) -> None:
    assert count_oom_kills(lay_out(tmp_path, membership=membership, mounts=mounts, files=files)) == kills


def test_where_there_are_no_groups_nothing_is_known(tmp_path: Path) -> None:
    assert count_oom_kills(tmp_path) is None


@pytest.mark.real
def test_this_machine_is_read_without_trouble() -> None:
    kills = count_oom_kills()
    assert kills is None or kills >= 0
