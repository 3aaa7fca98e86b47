"""A lab of real hosts: they are what they are said to be, break and mend as told, and leave nothing."""

import http.server
import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import ogai
from l0_infra.core.errors import RemoteError, UnsatisfiableError, UsageError
from l0_infra.core.nodeset import fold
from l1_podsys.lab.breaks import BREAKS
from l1_podsys.lab.cgroups import parse_groups, processes_of
from ogai.main import main
from tests.support.labs import RealLab, leavings

pytestmark = pytest.mark.real

BOOT_ID = ("cat", "/proc/sys/kernel/random/boot_id")


def test_hosts_are_whole_debian_systems_that_one_logs_in_to(lab: RealLab) -> None:
    both = fold(lab.hosts)
    assert lab.said(both, "systemctl", "is-system-running", "--wait") == ["running"] * 2
    assert lab.said(both, "hostname") == list(lab.hosts)
    for host in lab.hosts:
        done = lab.ssh(host, "hostname; id -un; sudo -n id -un; . /etc/os-release; echo $VERSION_ID")
        assert done.stdout.split() == [host, "ogai", "root", "12"], done.stderr


def test_they_reach_each_other_and_share_files(lab: RealLab) -> None:
    first, second = lab.described.hosts
    lab.said(first.name, "ping", "-q", "-c", "1", "-W", "5", second.address)
    lab.said(first.name, "sh", "-c", "echo shared >/shared/file")
    assert lab.said(second.name, "cat", "/shared/file") == ["shared"]


def test_they_differ_as_they_were_asked_to(lab: RealLab) -> None:
    both = fold(lab.hosts)
    assert lab.said(both, "sed", "-n", "s/MemTotal: *//p", "/proc/meminfo") == ["2097152 kB"] * 2
    assert lab.said(
        both, "sh", "-c", "nvidia-smi -L 2>/dev/null | wc -l; ls /dev | grep -c nvidia || true"
    ) == [
        "0\n0",
        "2\n2",
    ]


def test_their_facts_are_read_by_the_document_alone(lab: RealLab) -> None:
    first, second = ogai.node.facts(cluster=lab.home / "lab.yaml")
    assert [first.hostname, second.hostname] == list(lab.hosts)
    assert [len(first.accelerators), len(second.accelerators)] == [0, 2]
    assert first.memory.total_bytes == 2 * 2**30


def test_packages_come_through_this_machine_once(lab: RealLab, tmp_path: Path) -> None:
    name = f"tool_{secrets.token_hex(8)}_all.deb"  # ports come again, and the cache is kept
    (tmp_path / name).write_text("package")
    asked: list[str] = []

    class Mirror(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args: object) -> None:
            super().__init__(*args, directory=str(tmp_path))  # type: ignore[arg-type]

        def log_message(self, format: str, *args: object) -> None:
            asked.append(self.path)

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Mirror) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        fetch = (
            "import re, sys, urllib.request as r; conf = open('/etc/apt/apt.conf.d/91lab-proxy').read();"
            "proxy = re.search('\"(.*)\"', conf)[1]; r.install_opener(r.build_opener(r.ProxyHandler({'http': proxy})));"
            "print(r.urlopen(sys.argv[1], timeout=20).read().decode())"
        )
        url = f"http://127.0.0.1:{server.server_port}/{name}"
        said = lab.said(fold(lab.hosts), "python3", "-c", fetch, url)
        server.shutdown()
        thread.join()
    assert (said, asked) == (["package"] * 2, [f"/{name}"])


def test_up_again_changes_nothing_and_more_hosts_disturb_none(lab: RealLab) -> None:
    before, uptime = lab.described, lab.said(fold(lab.hosts), *BOOT_ID)
    assert lab.up(nodes=2).described == before
    try:
        lab.up(nodes=3)
        assert lab.described.hosts[:2] == before.hosts and len(lab.hosts) == 3
        assert lab.said(fold(lab.hosts), *BOOT_ID)[:2] == uptime
        assert lab.ssh(lab.hosts[2], "hostname").stdout.strip() == lab.hosts[2]
    finally:
        ogai.lab.break_("power-off", lab.hosts[2])


def power_off(lab: RealLab, host: str) -> None:
    with pytest.raises(RemoteError, match="a host that is off"):
        lab.said(host, "true")


def cable(lab: RealLab, host: str) -> None:
    address = lab.described.hosts[1].address
    assert lab.said(lab.hosts[0], "sh", "-c", f"ping -q -c 1 -W 1 {address} >/dev/null; echo $?") == ["1"]
    assert lab.said(host, "cat", "/sys/class/net/eth0/carrier") == ["0"]


def freeze(lab: RealLab, host: str) -> None:
    with pytest.raises(RemoteError, match="a host that is frozen"):
        lab.said(host, "true")
    assert lab.ssh(host, "true", wait_s=1).returncode == 255


def disk_full(lab: RealLab, host: str) -> None:
    assert lab.said(host, "sh", "-c", "echo x >/root/x || echo full") == ["full"]


def kill_sshd(lab: RealLab, host: str) -> None:
    assert "Connection refused" in lab.ssh(host, "true").stderr
    assert lab.said(host, "sh", "-c", "systemctl start ssh 2>/dev/null; echo $?") == ["1"]


def slow_cpu(lab: RealLab, host: str) -> None:
    throttled = (
        "import time; a = time.process_time(); b = time.monotonic()\nwhile time.monotonic() < b + 2: pass\n"
    )
    (share,) = lab.said(host, "python3", "-c", f"{throttled}print((time.process_time() - a) / 2)")
    assert float(share) < 0.5


def slow_net(lab: RealLab, host: str) -> None:
    assert "tbf" in lab.said(host, "tc", "qdisc", "show", "dev", "eth0")[0]


def lock_apt(lab: RealLab, host: str) -> None:
    (said,) = lab.said(host, "sh", "-c", "apt-get -q install -y hello 2>&1 || true")
    assert "Could not get lock /var/lib/dpkg/lock-frontend. It is held by process" in said


SYMPTOMS: dict[str, Callable[[RealLab, str], None]] = {
    "power-off": power_off,
    "cable": cable,
    "freeze": freeze,
    "disk-full": disk_full,
    "kill-sshd": kill_sshd,
    "slow-cpu": slow_cpu,
    "slow-net": slow_net,
    "lock-apt": lock_apt,
}


@pytest.mark.parametrize("kind", SYMPTOMS)
def test_a_host_breaks_as_told_the_list_says_so_and_it_is_mended(lab: RealLab, kind: str) -> None:
    host = lab.hosts[1]
    ogai.lab.break_(kind, host)
    ogai.lab.break_(kind, host)  # broken so already
    try:
        state = {"power-off": "off", "freeze": "frozen"}.get(kind, "on")
        assert lab.seen()[host] == (state, (kind,))
        assert lab.seen()[lab.hosts[0]] == ("on", ())
        SYMPTOMS[kind](lab, host)
    finally:
        assert ogai.lab.heal(host) == {host: (kind,)}
    assert lab.seen()[host] == ("on", ())
    done = lab.ssh(host, "echo back | tee /home/ogai/back")
    assert done.stdout == "back\n", done.stderr


def test_several_breaks_at_once_are_mended_together(lab: RealLab) -> None:
    host = lab.hosts[1]
    for kind in ("disk-full", "slow-cpu", "cable", "freeze", "power-off"):
        ogai.lab.break_(kind, host)
    assert lab.seen()[host][0] == "off"
    (healed,) = ogai.lab.heal(host).values()
    assert {"power-off", "slow-cpu", "disk-full"} <= set(healed)
    assert lab.seen()[host] == ("on", ()) and lab.ssh(host, "true").returncode == 0


def test_up_leaves_broken_hosts_broken(lab: RealLab) -> None:
    host = lab.hosts[1]
    ogai.lab.break_("cable", host)
    try:
        lab.up(nodes=2)
        assert lab.seen()[host] == ("on", ("cable",))
    finally:
        ogai.lab.heal(host)


def test_only_the_break_that_is_named_is_mended(lab: RealLab) -> None:
    host = lab.hosts[1]
    ogai.lab.break_("slow-net", host)
    assert ogai.lab.heal(host, "cable") == {host: ()}
    assert ogai.lab.heal_all("slow-net")[host] == ("slow-net",)


def test_a_clock_of_its_own_no_host_has(lab: RealLab) -> None:
    with pytest.raises(UnsatisfiableError, match="the wall clock of this machine"):
        ogai.lab.break_("clock-skew", lab.hosts[0])
    assert set(SYMPTOMS) == set(BREAKS) - {"clock-skew"}


def test_a_host_that_reboots_comes_back_as_itself(lab: RealLab) -> None:
    host = lab.hosts[1]
    (before,) = lab.said(host, *BOOT_ID)
    lab.said(host, "sh", "-c", "echo kept >/root/kept; rm -f /run/gone; touch /run/gone")
    lab.ssh(host, "sudo systemctl reboot")
    wait_until(
        lambda: lab.ssh(host, "cat /proc/sys/kernel/random/boot_id").stdout.strip() not in ("", before)
    )
    assert lab.said(host, "sh", "-c", "cat /root/kept; ls /run/gone 2>/dev/null || true") == ["kept"]


def test_a_host_whose_keeper_was_killed_is_started_again_by_up(lab: RealLab) -> None:
    host, groups = lab.hosts[1], parse_groups(Path("/proc/self/mountinfo").read_text())
    (before,) = lab.said(host, *BOOT_ID)
    (keeper,) = processes_of(groups, f"{lab.described.group}/{host}/keeper")
    os.kill(keeper, signal.SIGKILL)
    lab.up(nodes=2)
    assert lab.seen()[host] == ("on", ())
    assert lab.said(host, *BOOT_ID) != [before]


def test_a_command_on_one_host_reads_its_input_and_keeps_its_exit_code(lab: RealLab) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ogai", "lab", "exec", lab.hosts[0], "--", "sh", "-c", "cat; pwd; exit 7"],
        input="given\n",
        capture_output=True,
        text=True,
    )
    assert (done.stdout, done.returncode) == ("given\n/root\n", 7), done.stderr


def test_commands_on_several_hosts_are_told_apart(lab: RealLab, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(
            ["lab", "exec", fold(lab.hosts), "--", "sh", "-c", f"hostname; test $(hostname) = {lab.hosts[0]}"]
        )
        == 5
    )
    said = capsys.readouterr()
    assert said.out.splitlines() == [f"{host}: {host}" for host in lab.hosts]
    assert f"found {lab.hosts[1]}: exit code 1" in said.err


def test_names_that_no_lab_has_are_refused(lab: RealLab) -> None:
    with pytest.raises(UsageError, match=r"`elsewhere`, which no lab has"):
        ogai.lab.exec_("elsewhere", ("true",))
    with pytest.raises(UsageError, match="found `meteor`; expected one of power-off, cable"):
        ogai.lab.break_("meteor", lab.hosts[0])


def test_down_leaves_nothing_and_may_come_twice(lab: RealLab) -> None:
    lab_id = lab.described.lab_id
    assert leavings(lab.home, lab_id)  # while it is up, all of it is found
    ogai.lab.break_("freeze", lab.hosts[0])
    assert ogai.lab.down(lab.name) is True
    assert leavings(lab.home, lab_id) == []
    assert ogai.lab.down(lab.name) is False
    assert ogai.lab.probe() == ()


def wait_until(holds: Callable[[], bool], tries: int = 600) -> None:
    for _ in range(tries):
        if holds():
            return
        time.sleep(0.1)
    raise AssertionError("it never came so")
