"""Facts of this machine, held against what its own tools say; tools that hang, hung for real."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from l0_infra import probe_accelerators, probe_node
from l0_infra.core.errors import FactsMissingError
from l0_infra.core.exec import LocalRunner
from l0_infra.core.nodeset import expand
from l0_infra.facts import disks
from l0_infra.facts.ask import ask
from l0_infra.facts.bundle import Source, parse_bundle, render_script
from l0_infra.facts.tree import parse_tree
from l0_infra.schemas import NodeFacts

pytestmark = pytest.mark.real
FREEZER = Path("/sys/fs/cgroup/freezer/ogai-test-hang")


def said(*argv: str) -> str:
    if shutil.which(argv[0]) is None:
        pytest.skip(f"{argv[0]} is not installed")
    env = os.environ | {"LC_ALL": "C", "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(argv, check=True, stdout=subprocess.PIPE, text=True, env=env).stdout


@pytest.fixture(scope="module")
def runner() -> Iterator[LocalRunner]:
    with LocalRunner() as local:
        yield local


@pytest.fixture(scope="module")
def facts(runner: LocalRunner) -> NodeFacts:
    return probe_node(runner, time.time())


def test_identity_and_system(facts: NodeFacts) -> None:
    assert facts.hostname == os.uname().nodename
    assert facts.os.kernel == os.uname().release
    assert facts.os.architecture == os.uname().machine
    assert facts.boot_id == Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    assert f'PRETTY_NAME="{facts.os.name}"' in Path("/etc/os-release").read_text()


def test_processors_against_lscpu(facts: NodeFacts) -> None:
    rows = [line.split(",") for line in said("lscpu", "-p=CPU,CORE,SOCKET").splitlines() if line[0] != "#"]
    assert facts.cpu.threads == len(rows)
    assert facts.cpu.cores == len({(core, socket) for _, core, socket in rows})
    assert facts.cpu.sockets == len({socket for _, _, socket in rows})
    assert len(facts.cpu.socket_cpus) == facts.cpu.sockets
    cpus = [cpu for text in facts.cpu.socket_cpus for cpu in expand(f"[{text}]")]
    assert sorted(cpus, key=int) == sorted((cpu for cpu, _, _ in rows), key=int)
    assert f"Model name:{' ' * 26}{facts.cpu.model}".split() == [
        word for line in said("lscpu").splitlines() if line.startswith("Model name") for word in line.split()
    ]


def test_usable_cpus_are_at_most_those_the_scheduler_grants(facts: NodeFacts) -> None:
    assert 1 <= (facts.cpus_usable or 0) <= len(os.sched_getaffinity(0))
    if facts.limits.cpus is None:
        assert facts.cpus_usable == len(os.sched_getaffinity(0))


def test_memory_against_the_kernel(facts: NodeFacts) -> None:
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert facts.memory.total_bytes is not None
    assert abs(facts.memory.total_bytes - pages) < 2**30
    assert facts.memory_usable_bytes is not None and 0 < facts.memory_usable_bytes <= facts.memory.total_bytes


def test_disks_against_lsblk(facts: NodeFacts) -> None:
    listed = json.loads(said("lsblk", "-J", "-b", "-d", "-o", "KNAME,TYPE,SIZE"))["blockdevices"]
    sizes = {row["kname"]: int(row["size"]) for row in listed if row["type"] == "disk" and int(row["size"])}
    assert {disk.name: disk.size_bytes for disk in facts.disks} == sizes
    where = {mount.mountpoint for disk in facts.disks for mount in disk.mounts}
    mounted = json.loads(said("findmnt", "-J", "-l", "-o", "TARGET,SOURCE,MAJ:MIN"))["filesystems"]
    whole = {f"/dev/{name}" for name in sizes}
    assert {row["target"] for row in mounted if row["source"] in whole} <= where


def test_disks_without_lsblk_are_the_same(facts: NodeFacts, runner: LocalRunner) -> None:
    answers = ask(runner, (disks.BLOCK, disks.MOUNTS), 5)
    found = disks.parse_block(
        parse_tree(answers["sys-block.txt"].out), disks.parse_mounts(answers["proc-mounts.txt"].out)
    )
    plain = [(one.name, one.size_bytes, one.rotational, one.mounts) for one in facts.disks]
    assert [(one.name, one.size_bytes, one.rotational, one.mounts) for one in found] == plain


def test_network_against_ip(facts: NodeFacts) -> None:
    listed = {row["ifname"]: row for row in json.loads(said("ip", "-j", "address"))}
    assert facts.interfaces
    for port in facts.interfaces:
        row = listed[port.name]
        assert (port.mac, port.mtu, (port.state or "").upper()) == (
            row["address"],
            row["mtu"],
            row["operstate"],
        )
        assert set(port.addresses or ()) == {f"{one['local']}/{one['prefixlen']}" for one in row["addr_info"]}
    carrying = {name for name, row in listed.items() if row["addr_info"] and name != "lo"}
    assert carrying <= {port.name for port in facts.interfaces}


@pytest.fixture
def limited() -> Iterator[Path]:
    """A memory control group of 300 MiB, of cgroup v2 or v1; processes are added through its cgroup.procs."""
    v1 = Path("/sys/fs/cgroup/memory")
    group = (v1 if v1.is_dir() else v1.parent) / "ogai-test-limits"
    try:
        group.mkdir(exist_ok=True)
        limit = next(
            group / name for name in ("memory.limit_in_bytes", "memory.max") if (group / name).exists()
        )
        limit.write_text(str(300 * 2**20))
    except (OSError, StopIteration) as error:
        pytest.skip(f"no memory control group may be made here: {error!r}")
    else:
        yield group
    finally:
        if group.exists():
            group.rmdir()


def test_limits_of_control_group_and_affinity_are_seen_from_inside(limited: Path) -> None:
    cpu = min(os.sched_getaffinity(0))
    script = (
        f"echo $$ >{limited}/cgroup.procs; exec taskset -c {cpu} {sys.executable} -m ogai node facts -o json"
    )
    facts = msgspec.json.decode(said("sh", "-c", script), type=NodeFacts)
    assert (facts.limits.memory_bytes, facts.memory_usable_bytes) == (300 * 2**20, 300 * 2**20)
    assert (facts.limits.cpu_list, facts.cpus_usable) == (str(cpu), 1)
    assert (facts.memory.total_bytes or 0) > 300 * 2**20
    assert facts.cpu.threads == os.cpu_count()


def tool(folder: Path, name: str, body: str) -> None:
    (folder / name).write_text(f"#!/bin/sh\n{body}\n")
    (folder / name).chmod(0o755)


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder first on PATH, for programs that behave badly."""
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    return tmp_path


def test_no_vendor_tool_means_no_accelerator(runner: LocalRunner) -> None:
    if any(shutil.which(name) for name in ("nvidia-smi", "npu-smi", "amd-smi", "rocm-smi")):
        pytest.skip("a vendor's tool is installed here")
    assert probe_accelerators(runner) == ()


def test_an_accelerator_and_its_process_are_found_on_path(tools: Path, runner: LocalRunner) -> None:
    gpu = "0, NVIDIA L4, GPU-3f, 23034, 900, 7, 00000000:00:04.0, 570.133.20"
    tool(
        tools, "nvidia-smi", f'case "$1" in *gpu*uuid,pid*) echo "GPU-3f, 4242, 812";; *) echo "{gpu}";; esac'
    )
    (one,) = probe_accelerators(runner)
    assert (one.id, one.pci, one.memory_bytes) == ("nvidia:0", "0000:00:04.0", 23034 * 2**20)
    assert [process.pid for process in one.processes or ()] == [4242]


def test_a_tool_that_hangs_is_told_and_the_rest_stays(tools: Path, runner: LocalRunner) -> None:
    tool(tools, "lsblk", "sleep 600")
    tool(tools, "nvidia-smi", "trap '' TERM INT HUP; sleep 600; sleep 600")
    facts = probe_node(runner, 1.0, limit_s=1)
    assert {(one.what, one.reason) for one in facts.unread} >= {("lsblk", "hung"), ("nvidia-smi", "hung")}
    assert facts.boot_id and facts.disks and facts.interfaces


def test_accelerators_that_cannot_be_read_are_not_taken_for_none(tools: Path, runner: LocalRunner) -> None:
    tool(tools, "npu-smi", "sleep 600")
    with pytest.raises(FactsMissingError, match="hung") as caught:
        probe_accelerators(runner, limit_s=1)
    assert caught.value.retry


def test_output_that_looks_like_a_bundle_stays_output(runner: LocalRunner) -> None:
    forged = r"@ real 0\n|x\n@ all told\nno newline at the end"
    answers = ask(runner, (Source(name="odd", program="printf", command=f"printf '{forged}'"),), 5)
    assert answers["odd"].out == forged.replace(r"\n", "\n")


def test_a_reader_that_goes_away_leaves_no_file_behind(tmp_path: Path) -> None:
    many = (Source(name=f"s{n}", program="seq", command="seq 30000") for n in range(3))
    asking = subprocess.Popen(
        ("sh", "-s", "5", "1000000"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"TMPDIR": str(tmp_path)},
    )
    assert asking.stdin and asking.stdout
    with asking:
        asking.stdin.write(render_script(tuple(many)).encode())
        asking.stdin.close()
        asking.stdout.read(100)
        asking.stdout.close()
    assert [*tmp_path.iterdir()] == []


def sleeping(mark: str) -> list[str]:
    """Return the processes with an argument in their command line."""
    lines = (path for path in Path("/proc").glob("[0-9]*/cmdline"))
    return [path.parent.name for path in lines if mark.encode() in path.read_bytes().split(b"\0")]


@pytest.mark.parametrize("shell", [("dash",), ("bash",), ("busybox", "sh")])
def test_every_shell_tells_how_facts_ended(shell: tuple[str, ...]) -> None:
    if shutil.which(shell[0]) is None:
        pytest.skip(f"{shell[0]} is not installed")
    commands = {
        "stuck": """sh -c "trap '' TERM; sleep 4271.5; sleep 4272.5; sleep 4273.5" """,
        "alone": "sleep 4274.5",
        "plain": "echo said",
        "seven": "echo half; exit 7",
        "fault": "sh -c 'kill -SEGV $$'",
        "later": "sleep 0.5; echo late",
    }
    sources = [
        Source(name=name, program=command.split()[0], command=command) for name, command in commands.items()
    ]
    sources.append(Source(name="none", program="ogai-no-such-program", command="true"))
    script = render_script(sources).encode()
    done = subprocess.run((*shell, "-s", "1", "1000"), input=script, stdout=subprocess.PIPE, check=True)
    told = {name: (one.end, one.code, one.out) for name, one in parse_bundle(done.stdout.decode()).items()}
    assert told == {
        "none": ("absent", None, ""),
        "stuck": ("hung", None, ""),
        "alone": ("hung", None, ""),
        "plain": ("exit", 0, "said"),
        "seven": ("exit", 7, "half"),
        "fault": ("exit", 139, ""),
        "later": ("exit", 0, "late"),
    }
    assert [number for number in range(4271, 4275) if sleeping(f"{number}.5")] == []


@pytest.mark.parametrize("hangs", [False, True], ids=["in time", "held up"])
@pytest.mark.parametrize("shell", [("dash",), ("bash",), ("busybox", "sh")])
def test_every_shell_tells_what_is_quick(shell: tuple[str, ...], hangs: bool, tmp_path: Path) -> None:
    """A source that was taken for quick and hangs is told as such, and takes no other with it."""
    if shutil.which(shell[0]) is None:
        pytest.skip(f"{shell[0]} is not installed")
    for name, text in (("a:b", "one\ntwo\n"), ("empty", ""), ("cut", "no end"), ("0000:c1:00.0", "x: y\n")):
        (tmp_path / name).write_text(text)
    mark = f"4275.{os.getpid()}"
    commands = {
        "says": "echo said; exists=1; [ -n \"$exists\" ] && printf 'more\\n' >&2",
        "tree": f"echo /made:first; grep -H '' {tmp_path}/[a-z]* {tmp_path}/none; grep -Hs '' {tmp_path}/0*; true",
        "bare": f"cat {tmp_path}/a:b",
        "own": f"grep -Hc two {tmp_path}/a:b",
        "fails": "false",
        **({"stuck": f"sleep {mark}; echo never"} if hangs else {}),
        "after": "echo after",
    }
    sources = [Source(name=name, program="sh", command=one, quick=True) for name, one in commands.items()]
    sources.append(Source(name="unasked", program="sh", command="echo", when="! [ -d / ]", quick=True))
    script = render_script(sources).encode()
    done = subprocess.run((*shell, "-s", "1", "1000"), input=script, stdout=subprocess.PIPE, check=True)
    told = {name: (one.end, one.out) for name, one in parse_bundle(done.stdout.decode()).items()}
    tree = "/made:first\nT/a:b:one\nT/a:b:two\nT/cut:no end\nT/0000:c1:00.0:x: y".replace("T", str(tmp_path))
    assert told == {
        "says": ("exit", "said"),
        "tree": ("exit", tree),
        "bare": ("exit", "one\ntwo"),
        "own": ("exit", f"{tmp_path}/a:b:1"),
        "fails": ("exit", ""),
        "after": ("exit", "after"),
        "unasked": ("absent", ""),
        **({"stuck": ("hung", "")} if hangs else {}),
    }
    assert sleeping(mark) == []


def test_a_file_that_may_not_be_read_is_told() -> None:
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("needs root, and setpriv to become another user")
    command = "grep -H '' /proc/sys/kernel/ostype /etc/shadow"
    script = render_script([Source(name="odd", program="sh", command=command, quick=True)]).encode()
    asked = ("setpriv", "--reuid=65534", "--clear-groups", "sh", "-s", "5", "1000")
    done = subprocess.run(asked, input=script, stdout=subprocess.PIPE, check=True, cwd="/")
    told = dict(parse_bundle(done.stdout.decode()))["odd"]
    assert [fault.what for fault in told.denied()] == ["/etc/shadow"]
    assert told.out == "/proc/sys/kernel/ostype:Linux"


@pytest.fixture
def freezer() -> Iterator[Path]:
    """A frozen control group: like a process stuck in the kernel, one in it cannot even be killed."""
    try:
        FREEZER.mkdir(exist_ok=True)
    except OSError as error:
        pytest.skip(f"no freezer of cgroup v1 that may be used: {error}")
    yield FREEZER
    pids = (FREEZER / "tasks").read_text().split()
    for pid in pids:
        os.kill(int(pid), 9)
    (FREEZER / "freezer.state").write_text("THAWED")
    while (FREEZER / "tasks").read_text():
        time.sleep(0.01)
    FREEZER.rmdir()


def test_a_tool_nobody_can_kill_is_left_behind(tools: Path, runner: LocalRunner, freezer: Path) -> None:
    tool(tools, "nvidia-smi", f"echo $$ >{freezer}/tasks; echo FROZEN >{freezer}/freezer.state; echo awake")
    facts = probe_node(runner, 1.0, limit_s=1)
    assert (freezer / "tasks").read_text()
    assert ("nvidia-smi", "hung") in {(one.what, one.reason) for one in facts.unread}
    assert facts.boot_id and facts.disks and facts.interfaces
