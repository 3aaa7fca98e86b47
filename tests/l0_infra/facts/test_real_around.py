"""The system around the work on this machine, held against its own files and tools; formats, against the tools."""

import fcntl
import os
import resource
import shutil
import struct
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from l0_infra import probe_node
from l0_infra.core.exec import LocalRunner
from l0_infra.facts.board import disk_health
from l0_infra.facts.bundle import ABSENT, parse_bundle, render_script
from l0_infra.facts.operating import firewall
from l0_infra.facts.probe import SOURCES, parse_node
from l0_infra.schemas import NodeFacts
from tests.support.facts import facts_of

pytestmark = pytest.mark.real
NOBODY = 65534


def needed(*programs: str) -> None:
    for program in programs:
        if shutil.which(program, path=f"{os.environ['PATH']}:/usr/sbin:/sbin") is None:
            pytest.skip(f"{program} is not installed")


def said(*argv: str, **env: str) -> str:
    needed(argv[0])
    path = f"{os.environ['PATH']}:/usr/sbin:/sbin"
    told = os.environ | {"LC_ALL": "C", "PATH": path} | env
    return subprocess.run(argv, check=True, stdout=subprocess.PIPE, text=True, env=told).stdout


def text_of(path: str) -> str:
    if not Path(path).exists():
        pytest.skip(f"no {path} here")
    return Path(path).read_text().strip()


def probed() -> NodeFacts:
    with LocalRunner() as runner:
        return probe_node(runner, time.time())


@pytest.fixture(scope="module")
def facts() -> NodeFacts:
    return probed()


def test_nothing_is_left_unread_by_root(facts: NodeFacts) -> None:
    if os.geteuid() != 0:
        pytest.skip("this is not root")
    assert facts.unread == ()


def test_kernel_settings(facts: NodeFacts) -> None:
    assert facts.kernel.command_line == text_of("/proc/cmdline")
    for path, found in (
        ("/proc/sys/kernel/pid_max", facts.kernel.pid_max),
        ("/proc/sys/kernel/tainted", facts.kernel.tainted),
        ("/proc/sys/vm/swappiness", facts.kernel.swappiness),
    ):
        assert found == int(text_of(path))
    thp = Path("/sys/kernel/mm/transparent_hugepage/enabled")
    assert not thp.exists() or f"[{facts.kernel.transparent_hugepages}]" in thp.read_text()


def test_loaded_modules_against_lsmod(facts: NodeFacts) -> None:
    if not Path("/proc/modules").exists():
        assert facts.kernel.modules is None
        pytest.skip("this kernel has no modules that could be loaded")
    listed = {line.split()[0] for line in said("lsmod").splitlines()[1:]}
    assert {module.name for module in facts.kernel.modules or ()} <= listed


def test_version_of_control_groups_against_the_kernel_s_own_list(facts: NodeFacts) -> None:
    """/proc/cgroups gives each controller the number of its hierarchy; 0 is version 2 (or nowhere)."""
    rows = [line.split() for line in text_of("/proc/cgroups").splitlines()[1:]]
    in_version_1 = any(row[1] != "0" for row in rows)
    assert facts.kernel.cgroup_version == (1 if in_version_1 else 2)


def test_governors(facts: NodeFacts) -> None:
    cpus = Path("/sys/devices/system/cpu").glob("cpu[0-9]*/cpufreq/scaling_governor")
    assert facts.kernel.governor == (",".join(sorted({one.read_text().strip() for one in cpus})) or None)


def test_limits_against_the_system_call(facts: NodeFacts) -> None:
    names = {"memlock": "RLIMIT_MEMLOCK", "nofile": "RLIMIT_NOFILE", "nproc": "RLIMIT_NPROC"}
    names |= {"stack": "RLIMIT_STACK", "core": "RLIMIT_CORE"}
    mine = {one.name: one for one in facts.resource_limits if one.scope == "login"}
    assert mine.keys() == names.keys()
    for name, key in names.items():
        soft, hard = resource.getrlimit(getattr(resource, key))
        told = [(mine[name].soft, mine[name].soft_unlimited), (mine[name].hard, mine[name].hard_unlimited)]
        known = [(None, True) if one == resource.RLIM_INFINITY else (one, False) for one in (soft, hard)]
        assert told == known


def test_zone_against_date(facts: NodeFacts) -> None:
    assert facts.clock.zone
    assert said("date", "+%z", TZ=facts.clock.zone) == said("date", "+%z")


def test_services_and_clock_against_systemd(facts: NodeFacts) -> None:
    if not Path("/run/systemd/system").is_dir():
        assert facts.services is None
        pytest.skip("systemd does not run here")
    for service in facts.services or ():
        assert subprocess.run(
            ("systemctl", "is-active", service.name), text=True, stdout=subprocess.PIPE
        ).stdout == (f"{service.state}\n")
    if facts.clock.service in (None, "systemd-timesyncd"):
        assert facts.clock.synchronised == (
            said("timedatectl", "show", "-p", "NTPSynchronized", "--value").strip() == "yes"
        )


def test_versions_against_the_programs(facts: NodeFacts) -> None:
    versions = {one.name: one.software_version for one in facts.software}
    assert (
        versions["glibc"]
        == os.confstr(
            "CS_GNU_LIBC_VERSION",
        ).split()[-1]
    )  # type: ignore[union-attr]
    if shutil.which("gcc"):
        assert versions["gcc"] == said("gcc", "-dumpfullversion").strip()


def test_secure_boot_against_the_firmware_s_folder(facts: NodeFacts) -> None:
    if not Path("/sys/firmware/acpi").exists() or Path("/sys/firmware/efi").exists():
        pytest.skip("this machine has EFI, or hides its firmware")
    assert facts.security.secure_boot is False


LOCK = Path("/var/lib/apt/lists/lock")


@pytest.fixture
def held() -> Iterator[None]:
    """apt's lock, held by this process for a moment."""
    if not LOCK.exists() or os.geteuid() != 0:
        pytest.skip("no apt here, or not root")
    with LOCK.open("r+") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            pytest.skip("somebody else holds apt's lock")
        yield


def mine(facts: NodeFacts) -> list[tuple[str, int | None, str | None]]:
    locks = facts.package_locks or ()
    return [(one.file, one.pid, one.program) for one in locks if one.pid == os.getpid()]


def test_a_lock_that_is_held(held: None) -> None:
    program = Path("/proc/self/comm").read_text().strip()
    assert mine(probed()) == [(str(LOCK), os.getpid(), program)]


def test_a_lock_file_that_is_merely_there(facts: NodeFacts) -> None:
    assert mine(facts) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to become another user")
def test_who_is_not_root_is_refused_and_told_so() -> None:
    needed("setpriv")
    asked = (
        "setpriv",
        f"--reuid={NOBODY}",
        f"--regid={NOBODY}",
        "--clear-groups",
        "sh",
        "-s",
        "10",
        "1000000",
    )
    bundle = subprocess.run(
        asked, check=True, input=render_script(SOURCES), stdout=subprocess.PIPE, text=True, cwd="/"
    ).stdout
    facts = parse_node({source.name: ABSENT for source in SOURCES} | dict(parse_bundle(bundle)), now=1.0)
    assert facts.kernel.command_line and facts.resource_limits and facts.software
    assert facts.package_locks is not None
    assert {one.reason for one in facts.unread} <= {"denied"}
    assert facts.security.firewall != "none"


RULES = """\
table inet filter {
  set allowed { type ipv4_addr; flags interval; elements = { 10.0.0.0/8, 192.0.2.0/24, 198.51.100.0/24 } }
  counter seen { packets 0 bytes 0 }
  chain input { type filter hook input priority 0; policy drop; iif lo accept; ip saddr @allowed accept; }
  chain mine { tcp dport { 22, 80, 443, 8080, 9000, 9001 } counter accept; counter name seen drop; }
}
"""


def in_own_network(script: str) -> str:
    """Run a script in a network of its own, which no rule outside sees."""
    if subprocess.run(("unshare", "-n", "true"), stderr=subprocess.DEVNULL).returncode:
        pytest.skip("no network of its own may be made here")
    return said("unshare", "-n", "sh", "-ec", script)


@pytest.mark.parametrize("way", ["in short", "whole"])
def test_nftables(way: str) -> None:
    needed("nft")
    asked = firewall.NFT.command if way == "in short" else "nft list ruleset"
    out = in_own_network(f"nft -f - <<'END'\n{RULES}\nEND\n{asked}")
    security = facts_of({"nft-ruleset.txt": out}).security
    assert (security.firewall, security.firewall_rules) == ("nftables", 4)


@pytest.mark.parametrize("way", ["in short", "whole"])
def test_iptables(way: str) -> None:
    needed("iptables", "iptables-save")
    make = "for port in 22 80 443; do iptables -A INPUT -p tcp --dport $port -j ACCEPT; done"
    asked = firewall.IPTABLES.command if way == "in short" else "iptables-save"
    out = in_own_network(f"{make}\n{asked}")
    security = facts_of({"iptables-save.txt": out}).security
    assert (security.firewall, security.firewall_rules) == ("iptables", 3)


def test_no_rules_at_all() -> None:
    needed("nft")
    out = in_own_network(firewall.NFT.command)
    security = facts_of({"nft-ruleset.txt": out}).security
    assert (security.firewall, security.firewall_rules) == ("none", 0)


def structure(kind: int, handle: int, body: bytes, *strings: str) -> bytes:
    head = struct.pack("<BBH", kind, len(body) + 4, handle)
    return head + body + (b"".join(one.encode() + b"\0" for one in strings) or b"\0") + b"\0"


def module(handle: int, size: int, extended: int, *strings: str) -> bytes:
    """One memory device of SMBIOS 2.8: sizes in MiB, rates in MT/s."""
    body = struct.pack(
        "<5HBBBBBHHBBBBBIH3H",
        *(0x1000, 0xFFFE, 72, 64, size, 9, 0, 1, 2, 0x1A, 0x80, 3200, 3, 4, 5, 6, 2, extended, 2933, 0, 0, 0),
    )
    return structure(17, handle, body, *strings)


def test_dmidecode_s_own_words(tmp_path: Path) -> None:
    """Firmware tables made here, put into words by the `dmidecode` that is installed."""
    strings = ("DIMM_A1", "NODE 1", "Example", "0012345", "TAG", "EX-1")
    table = (
        module(0x1100, 0x7FFF, 64 * 1024, *strings)
        + module(0x1101, 16384, 0, *strings)
        + module(0x1102, 0, 0, *strings)
        + module(0x1103, 0xFFFF, 0, "DIMM_A4", *strings[1:])
        + structure(38, 0x2600, struct.pack("<BBBBQBB", 1, 0x20, 0x10, 0xFF, 0xCA2, 0, 0))
        + structure(127, 0x7F00, b"")
    )
    entry = bytearray(struct.pack("<5sBBBBBBBIQ", b"_SM3_", 0, 24, 3, 2, 0, 1, 0, len(table), 32))
    entry[5] = -sum(entry) % 256
    dump = tmp_path / "dump"
    dump.write_bytes(bytes(entry).ljust(32, b"\0") + table)
    facts = facts_of({"dmidecode.txt": said("dmidecode", "--from-dump", str(dump))})
    found = msgspec.to_builtins(facts.memory_modules)
    assert [(one["slot"], one["size_bytes"]) for one in found] == [
        ("NODE 1 DIMM_A1", 64 * 2**30),
        ("NODE 1 DIMM_A1", 16 * 2**30),
        ("DIMM_A4", None),
    ]
    assert found[0]["transfers_per_s_max"] == 3200 * 10**6
    assert found[0]["transfers_per_s"] == 2933 * 10**6
    assert (found[0]["kind"], found[0]["maker"], found[0]["serial"]) == ("DDR4", "Example", "0012345")
    assert facts.management is not None


@pytest.fixture
def chronyd(tmp_path: Path) -> Iterator[str]:
    """A chronyd that follows nobody and leaves the clock alone; its port for questions."""
    needed("chronyd", "chronyc")
    port = "13323"
    tmp_path.chmod(0o700)
    (tmp_path / "conf").write_text(
        f"local stratum 8\nport 0\ncmdport {port}\nbindcmdaddress {tmp_path}/socket\npidfile {tmp_path}/pid\n"
    )
    program = shutil.which("chronyd", path=f"{os.environ['PATH']}:/usr/sbin") or "chronyd"
    daemon = subprocess.Popen(
        (program, "-x", "-d", "-u", "root", "-f", str(tmp_path / "conf")), stderr=subprocess.PIPE
    )
    try:
        yield port
    finally:
        daemon.terminate()
        daemon.communicate()


@pytest.mark.skipif(os.geteuid() != 0, reason="chronyd wants root")
@pytest.mark.parametrize("form", ["-c", ""])
def test_chrony_s_own_words(chronyd: str, form: str) -> None:
    ask = ("chronyc", "-h", "127.0.0.1", "-p", chronyd, "-n", *form.split(), "tracking")
    for _ in range(100):
        out = subprocess.run(ask, stdout=subprocess.PIPE, text=True).stdout
        if "506 Cannot talk" not in out:
            break
        time.sleep(0.05)
    clock = facts_of({"chronyc.csv": out}).clock
    assert (clock.service, clock.source, clock.synchronised, clock.offset_s) == ("chrony", None, True, 0.0)


def test_disks_are_asked_one_by_one_under_their_names() -> None:
    """The script that asks for health, with a program that only says what it was asked."""
    script = f"{disk_health.ASK}ask '*' echo asked"
    listed = sorted(one.name for one in Path("/sys/block").iterdir())
    names = [name for name in listed if os.access(f"/dev/{name}", os.R_OK)]
    lines = said("sh", "-c", script).splitlines()
    assert [line for line in lines if line.startswith("asked ")] == [f"asked /dev/{name}" for name in names]
    assert {f"$ echo asked /dev/{name}" for name in names} <= set(lines)
