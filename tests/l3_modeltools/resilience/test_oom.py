"""Kills for want of memory are counted in both versions of control groups, on hosts and in containers."""

from pathlib import Path

import pytest

from l3_modeltools.resilience.oom import count_oom_kills

V2 = "low 0\nhigh 3\nmax 12\noom 2\noom_kill 4\noom_group_kill 0\n"
V1 = "oom_kill_disable 0\nunder_oom 0\noom_kill 5\n"
BOTH = "9:name=systemd:/\n4:cpu,memory:/job/7\n0::/\n"


@pytest.mark.parametrize(
    ("groups", "files", "kills"),
    [
        ("0::/user.slice/job\n", {"user.slice/job/memory.events": V2}, 4),
        ("0::/not/mounted/here\n", {"memory.events": V2}, 4),
        (BOTH, {"memory/job/7/memory.oom_control": V1}, 5),
        (BOTH, {"memory/memory.oom_control": V1}, 5),
        (BOTH, {"memory/job/7/memory.oom_control": V1, "unified/cgroup.procs": "1\n"}, 5),
        ("1:memory:/\n", {"memory/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\n"}, None),
        ("0::/\n", {}, None),
    ],
    ids=["v2", "v2 container", "v1", "v1 container", "hybrid", "old kernel", "root group"],
)
def test_kills_are_counted(tmp_path: Path, groups: str, files: dict[str, str], kills: int | None) -> None:
    for name, text in {f"sys/fs/cgroup/{name}": text for name, text in files.items()}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/self/cgroup").write_text(groups)
    assert count_oom_kills(tmp_path) == kills


def test_where_there_are_no_groups_nothing_is_known(tmp_path: Path) -> None:
    assert count_oom_kills(tmp_path) is None


@pytest.mark.real
def test_this_machine_is_read_without_trouble() -> None:
    kills = count_oom_kills()
    assert kills is None or kills >= 0
