"""What memory can be taken is the least of what the machine has and what every limit above the process leaves."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from l3_modeltools.memory import available_memory, memory_groups
from tests.support.control_groups import BOTH, DOCKER_V1, V1, V2, lay_out

MIB = 1 << 20
MEMINFO = (
    "MemTotal:       65843120 kB\nMemFree:         1003124 kB\nMemAvailable:   41943040 kB\nSwapTotal: 0 kB\n"
)
MACHINE = 40 << 30
UNLIMITED = 9223372036854771712
"""How version 1 says that there is no limit."""


def v2(limit: str, used: int, *, high: str = "max", cache: tuple[int, int] = (0, 0)) -> dict[str, str]:
    """Return the files of a group of version 2; `cache` are inactive and active pages of files."""
    inactive, active = cache
    return {
        "memory.max": f"{limit}\n",
        "memory.high": f"{high}\n",
        "memory.current": f"{used}\n",
        "memory.stat": f"anon 7\nfile {inactive + active}\nshmem 9\ninactive_anon 3\nactive_anon 4\n"
        f"inactive_file {inactive}\nactive_file {active}\nslab_reclaimable 5\n",
    }


def v1(limit: int, used: int, *, cache: tuple[int, int] = (0, 0)) -> dict[str, str]:
    """Return the files of a group of version 1, whose own pages are fewer than those with the groups below."""
    inactive, active = cache
    return {
        "memory.limit_in_bytes": f"{limit}\n",
        "memory.usage_in_bytes": f"{used}\n",
        "memory.stat": f"cache 1\ninactive_file 1\nactive_file 2\nunevictable 0\n"
        f"total_cache {inactive + active}\ntotal_inactive_file {inactive}\ntotal_active_file {active}\n",
    }


def below(folder: str, files: dict[str, str]) -> dict[str, str]:
    return {f"{folder}/{name}" if folder else name: text for name, text in files.items()}


JOB = "0::/user.slice/job-7\n"
JOB_V1 = "6:pids:/\n4:memory:/batch/job-7\n1:name=systemd:/\n"

CASES = {
    "v2, a limit with page cache under it": (
        JOB,
        V2,
        below("user.slice/job-7", v2(str(800 * MIB), 500 * MIB, cache=(60 * MIB, 40 * MIB))),
        400 * MIB,
    ),
    "v2, no limit": (JOB, V2, below("user.slice/job-7", v2("max", 500 * MIB)), MACHINE),
    "v2, the group above is tighter": (
        JOB,
        V2,
        {
            **below("user.slice/job-7", v2(str(900 * MIB), 100 * MIB)),
            **below("user.slice", v2(str(1000 * MIB), 700 * MIB)),
        },
        300 * MIB,
    ),
    "v2, only a group far above has a limit": (
        "0::/a/b/c/d\n",
        V2,
        {**below("a/b/c/d", v2("max", 5 * MIB)), **below("a", v2(str(64 * MIB), 24 * MIB))},
        40 * MIB,
    ),
    "v2, held up before the limit": (
        JOB,
        V2,
        below("user.slice/job-7", v2(str(900 * MIB), 200 * MIB, high=str(600 * MIB))),
        400 * MIB,
    ),
    "v2, above its limit": (
        JOB,
        V2,
        below("user.slice/job-7", v2(str(100 * MIB), 130 * MIB)),
        0,
    ),
    "v2, a container that sees its own group as the root": (
        "0::/\n",
        V2,
        below("", v2(str(256 * MIB), 56 * MIB)),
        200 * MIB,
    ),
    "v2, a group outside of what is seen": (
        "0::/../../pod/x\n",
        V2,
        below("", v2(str(256 * MIB), 6 * MIB)),
        250 * MIB,
    ),
    "v2, mounted elsewhere": (
        "0::/a\n",
        V2.replace("/sys/fs/cgroup", "/run/groups"),
        below("/run/groups/a", v2(str(90 * MIB), 20 * MIB)),
        70 * MIB,
    ),
    "v1, a limit with page cache under it": (
        JOB_V1,
        V1,
        below("memory/batch/job-7", v1(800 * MIB, 500 * MIB, cache=(60 * MIB, 40 * MIB))),
        400 * MIB,
    ),
    "v1, no limit": (JOB_V1, V1, below("memory/batch/job-7", v1(UNLIMITED, 500 * MIB)), MACHINE),
    "v1, the group above is tighter": (
        JOB_V1,
        V1,
        {
            **below("memory/batch/job-7", v1(UNLIMITED, 100 * MIB)),
            **below("memory/batch", v1(500 * MIB, 480 * MIB, cache=(10 * MIB, 0))),
            **below("memory", v1(UNLIMITED, 9000 * MIB)),
        },
        30 * MIB,
    ),
    "v1, a container without a namespace of its own": (
        "4:memory:/docker/4f0c\n",
        DOCKER_V1,
        below("memory", v1(512 * MIB, 112 * MIB)),
        400 * MIB,
    ),
    "v1, a group below that of a container": (
        "4:memory:/docker/4f0c/step\n",
        DOCKER_V1,
        {**below("memory", v1(512 * MIB, 12 * MIB)), **below("memory/step", v1(64 * MIB, 14 * MIB))},
        50 * MIB,
    ),
    "both, the first has the controller": (
        f"{JOB_V1}0::/elsewhere\n",
        BOTH,
        below("memory/batch/job-7", v1(300 * MIB, 100 * MIB)),
        200 * MIB,
    ),
    "a machine without groups": ("", "", {}, MACHINE),
    "a limit larger than what the machine has": (
        JOB,
        V2,
        below("user.slice/job-7", v2(str(90 << 30), 0)),
        MACHINE,
    ),
}


@pytest.mark.parametrize(("membership", "mounts", "files", "expected"), CASES.values(), ids=CASES)
def test_the_least_counts(
    tmp_path: Path, membership: str, mounts: str, files: dict[str, str], expected: int
) -> None:
    root = lay_out(tmp_path, membership=membership, mounts=mounts, files={**files, "/proc/meminfo": MEMINFO})
    assert available_memory(root=root) == expected


@pytest.mark.parametrize(
    ("limit_bytes", "processes", "expected"),
    [(None, 4, MACHINE), (1000 * MIB, 1, 900 * MIB), (1000 * MIB, 4, 600 * MIB), (100 * MIB, 4, 0)],
)
def test_a_limit_that_nobody_but_the_engine_keeps_counts_too(
    tmp_path: Path, limit_bytes: int | None, processes: int, expected: int
) -> None:
    rollup = "00400000-7ffd Rss:\nRss: 307200 kB\nPss:              102400 kB\nPss_Anon: 1 kB\n"
    files = {"/proc/meminfo": MEMINFO, "/proc/self/smaps_rollup": rollup}
    root = lay_out(tmp_path, membership="", mounts="", files=files)
    assert available_memory(limit_bytes=limit_bytes, processes=processes, root=root) == expected


@pytest.fixture
def small_group() -> Iterator[Path]:
    """Make a group of 300 MiB below or beside our own, where the kernel lets us."""
    groups = memory_groups()
    if not groups:
        pytest.skip("no memory cgroups here")
    first = (groups[0] / "memory.limit_in_bytes").exists()
    group = (groups[0] if first else groups[min(1, len(groups) - 1)]) / f"ogai-test-{os.getpid()}"
    try:
        group.mkdir()
        (group / ("memory.limit_in_bytes" if first else "memory.max")).write_text(str(300 * MIB))
    except OSError as error:
        pytest.skip(f"no memory cgroup can be made here: {error}")
    yield group
    group.rmdir()


PROGRAM = """
import os, sys
from pathlib import Path
from l3_modeltools.memory import available_memory
before = available_memory()
Path(sys.argv[1], "cgroup.procs").write_text(str(os.getpid()))
empty = available_memory()
taken = os.memfd_create("taken")
os.posix_fallocate(taken, 0, 100 << 20)
print(before, empty, available_memory())
"""


@pytest.mark.real
def test_a_real_group_is_seen_to_fill(small_group: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(small_group)],
        env={**os.environ, "PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    before, empty, filled = map(int, done.stdout.split())
    assert before > 300 * MIB, "this machine has too little memory for the test"
    assert 250 * MIB < empty <= 300 * MIB
    assert 95 * MIB < empty - filled < 115 * MIB, "a memory file is no page cache that is given back"
