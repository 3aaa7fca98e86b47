"""Control groups of either version: where they are, who is in them, what they limit."""

from collections.abc import Callable
from pathlib import Path

import pytest

from l0_infra.core.errors import UnsatisfiableError
from l1_podsys.lab.cgroups import Groups, freeze, is_frozen, parse_groups, remove_group, thaw
from l1_podsys.lab.limits import apply_limits, cpu_share, limit_cpu
from tests.support.control_groups import BOTH, DOCKER_V1, V1, V2
from tests.support.labs import a_lab

LAB = a_lab(nodes=2, vary=True)
HOST = LAB.hosts[0]
GROUP = f"{LAB.group}/{HOST.name}"


@pytest.mark.parametrize(
    ("mounts", "unified", "legacy"),
    [
        pytest.param(V2, "/sys/fs/cgroup", {}, id="version 2"),
        pytest.param(
            V1, None, {"cpu": "/sys/fs/cgroup/cpu", "memory": "/sys/fs/cgroup/memory"}, id="version 1"
        ),
        pytest.param(
            BOTH,
            "/sys/fs/cgroup/unified",
            {"cpu": "/sys/fs/cgroup/cpu", "memory": "/sys/fs/cgroup/memory"},
            id="both",
        ),
        pytest.param(DOCKER_V1, None, {"memory": "/sys/fs/cgroup/memory"}, id="in a container"),
        pytest.param("22 1 8:1 / / rw - ext4 /dev/vda rw\n", None, {}, id="none"),
    ],
)
def test_mounts_tell_where_groups_are(mounts: str, unified: str | None, legacy: dict[str, str]) -> None:
    found = parse_groups(mounts)
    assert found.unified == (None if unified is None else Path(unified))
    assert found.legacy == {name: Path(path) for name, path in legacy.items()}


def test_one_hierarchy_with_two_controllers_is_one_root() -> None:
    line = "33 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
    named = "34 31 0:31 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,name=systemd\n"
    assert parse_groups(line + named).roots() == (
        Path("/sys/fs/cgroup/cpu,cpuacct"),
        Path("/sys/fs/cgroup/systemd"),
    )


def version_2(folder: Path) -> Groups:
    """Lay out a host's group as the kernel shows one of version 2."""
    _files(folder / GROUP, {"cpu.max": "max 100000", "memory.max": "max", "cgroup.freeze": "0"})
    _files(folder / GROUP, {"cgroup.events": "populated 1\nfrozen 1\n"})
    return Groups(unified=folder, legacy={})


def version_1(folder: Path) -> Groups:
    """Lay out the same of version 1."""
    files = {
        "cpu.cfs_quota_us": "-1",
        "memory.limit_in_bytes": "9223372036854771712",
        "freezer.state": "THAWED",
    }
    _files(folder / GROUP, files)
    return Groups(unified=None, legacy=dict.fromkeys(("cpu", "memory", "freezer"), folder))


@pytest.mark.parametrize(
    ("lay_out", "memory", "cpu", "ten_percent", "unlimited"),
    [
        (version_2, "memory.max", "cpu.max", "10000 100000", "max 100000"),
        (version_1, "memory.limit_in_bytes", "cpu.cfs_quota_us", "10000", "-1"),
    ],
    ids=["version 2", "version 1"],
)
def test_limits_are_written_in_the_words_of_the_version(
    lay_out: Callable[[Path], Groups], memory: str, cpu: str, ten_percent: str, unlimited: str, tmp_path: Path
) -> None:
    groups = lay_out(tmp_path)
    apply_limits(groups, LAB, HOST)
    assert (tmp_path / GROUP / memory).read_text() == str(2 * 2**30)
    assert cpu_share(groups, LAB, HOST) is None
    limit_cpu(groups, LAB, HOST, 0.1)
    assert (tmp_path / GROUP / cpu).read_text() == ten_percent
    assert cpu_share(groups, LAB, HOST) == 0.1
    limit_cpu(groups, LAB, HOST, None)
    assert (tmp_path / GROUP / cpu).read_text() == unlimited
    assert cpu_share(groups, LAB, HOST) is None


@pytest.mark.parametrize("lay_out", [version_2, version_1], ids=["version 2", "version 1"])
def test_a_group_is_frozen_and_thawed(lay_out: Callable[[Path], Groups], tmp_path: Path) -> None:
    groups = lay_out(tmp_path)
    assert not is_frozen(groups, GROUP)
    freeze(groups, GROUP)
    assert is_frozen(groups, GROUP)
    thaw(groups, LAB.group)
    assert not is_frozen(groups, GROUP)


def test_a_limit_that_cannot_be_set_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnsatisfiableError, match="cannot limit memory"):
        apply_limits(Groups(unified=tmp_path, legacy={}), LAB, HOST)
    with pytest.raises(UnsatisfiableError, match="cannot limit processor time"):
        limit_cpu(Groups(unified=None, legacy={}), LAB, HOST, 0.5)


def test_controllers_are_handed_on_down_to_the_host(tmp_path: Path) -> None:
    apply_limits(version_2(tmp_path), LAB, HOST)
    for folder in (tmp_path, tmp_path / LAB.group, tmp_path / GROUP):
        assert (folder / "cgroup.subtree_control").read_text() == "+pids"  # the last of three


def test_a_group_goes_with_all_groups_in_it(tmp_path: Path) -> None:
    for below in ("keeper", "machine/payload/system.slice/ssh.service", "machine/supervisor"):
        (tmp_path / GROUP / below).mkdir(parents=True)
    (tmp_path / "other").mkdir()
    remove_group(Groups(unified=tmp_path, legacy={}), LAB.group)
    remove_group(Groups(unified=tmp_path, legacy={}), LAB.group)
    assert [path.name for path in tmp_path.iterdir()] == ["other"]


def _files(folder: Path, files: dict[str, str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text)
