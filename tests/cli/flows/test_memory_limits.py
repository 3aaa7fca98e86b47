"""Whether memory limits can be set is read from the control groups as the kernel shows them."""

from pathlib import Path

import pytest

from ogai.flows.memory_limits import parse_group, probe_memory_limits

V1 = "12:memory:/jobs/a\n3:cpu,cpuacct:/\n1:name=systemd:/x\n0::/\n"


def test_the_group_of_a_controller_is_found() -> None:
    assert parse_group(V1, "memory") == "/jobs/a"
    assert parse_group(V1, "cpuacct") == "/"
    assert parse_group("0::/user.slice/a:b\n", "") == "/user.slice/a:b"


def _write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


@pytest.mark.parametrize(
    ("files", "version", "settable"),
    [
        ({"proc/self/cgroup": V1, "sys/fs/cgroup/memory/jobs/a/tasks": ""}, 1, True),
        ({"proc/self/cgroup": V1, "sys/fs/cgroup/memory/tasks": ""}, 1, True),
        (
            {
                "proc/self/cgroup": "0::/u\n",
                "sys/fs/cgroup/cgroup.controllers": "cpu memory\n",
                "sys/fs/cgroup/u/cgroup.controllers": "cpu memory pids\n",
            },
            2,
            True,
        ),
        (
            {
                "proc/self/cgroup": "0::/u\n",
                "sys/fs/cgroup/cgroup.controllers": "cpu memory\n",
                "sys/fs/cgroup/u/cgroup.controllers": "cpu pids\n",
            },
            2,
            False,
        ),
        ({"proc/self/cgroup": "0::/\n"}, None, False),
        ({}, None, False),
    ],
)
def test_limits_are_judged(
    tmp_path: Path, files: dict[str, str], version: int | None, settable: bool
) -> None:
    limits = probe_memory_limits(_write(tmp_path, files))
    assert (limits.cgroup_version, limits.settable) == (version, settable)
    assert limits.reason
