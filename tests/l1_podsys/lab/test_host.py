"""How a host is started, and the files that make it this host and no other."""

from pathlib import Path

from l0_infra.facts.memory import parse_memory
from l1_podsys.lab.cgroups import parse_groups
from l1_podsys.lab.documents import Lab, LabHost
from l1_podsys.lab.host import Keys, keeper_command, keeper_environment, render_files
from l1_podsys.lab.layout import Layout
from l1_podsys.lab.limits import render_meminfo
from tests.support.control_groups import BOTH
from tests.support.labs import a_lab

LAYOUT = Layout(folder=Path("/home/labs/t-paper"))
KEYS = Keys(login_public="ssh-ed25519 LOGIN\n", host_private="PRIVATE\n", host_public="ssh-ed25519 HOST\n")


def files(lab: Lab, host: LabHost) -> dict[str, str]:
    return {
        file.path: file.content for file in render_files(host, lab, KEYS, resolver="nameserver 192.0.2.53\n")
    }


def test_hosts_differ_in_what_must_be_their_own() -> None:
    lab = a_lab(nodes=3)
    commands = [keeper_command(lab, host, LAYOUT) for host in lab.hosts]
    environments = [keeper_environment(lab, host, LAYOUT, parse_groups(BOTH)) for host in lab.hosts]
    for word in ("--directory=", "--machine=", "--hostname=", "--uuid="):
        assert len({one for command in commands for one in command if one.startswith(word)}) == 3
    for name in ("LAB_FOLDER", "LAB_GROUPS", "LAB_CABLE", "LAB_ADDRESS", "LAB_MAC"):
        assert len({environment[name] for environment in environments}) == 3
    assert len({files(lab, host)["etc/machine-id"] for host in lab.hosts}) == 3


def test_a_host_stays_itself_when_it_is_started_again() -> None:
    first, again = a_lab(), a_lab(nodes=5)
    assert keeper_command(first, first.hosts[1], LAYOUT) == keeper_command(again, again.hosts[1], LAYOUT)
    assert files(first, first.hosts[1]) == files(again, again.hosts[1])


def test_a_network_card_has_a_local_address_of_one_host() -> None:
    lab = a_lab(nodes=200, lab_id="ffffff")
    environment = keeper_environment(lab, lab.hosts[-1], LAYOUT, parse_groups(BOTH))
    assert environment["LAB_MAC"] == "02:ff:ff:ff:00:c8"


def test_a_host_is_put_into_every_hierarchy() -> None:
    lab = a_lab()
    environment = keeper_environment(lab, lab.hosts[0], LAYOUT, parse_groups(BOTH))
    assert environment["LAB_GROUPS"].split() == [
        f"/sys/fs/cgroup/{hierarchy}/ogai-lab-0a1b2c/t-paper-1" for hierarchy in ("unified", "cpu", "memory")
    ]


def test_keys_are_for_their_owners_only() -> None:
    lab = a_lab()
    given = {file.path: (file.mode, file.ours) for file in render_files(lab.hosts[0], lab, KEYS, resolver="")}
    assert given["etc/ssh/ssh_host_ed25519_key"] == (0o600, False)
    assert given["home/ogai/.ssh/authorized_keys"] == (0o600, True)


def test_apt_asks_the_labs_own_proxy() -> None:
    lab = a_lab()
    proxy = files(lab, lab.hosts[0])["etc/apt/apt.conf.d/91lab-proxy"]
    assert proxy == 'Acquire::http::Proxy "http://10.217.7.1:7317";\n'


def test_a_host_with_less_memory_and_pretended_accelerators_shows_them() -> None:
    lab = a_lab(nodes=2, vary=True)
    plain, rich = a_lab(nodes=1).hosts[0], lab.hosts[1]
    command = keeper_command(lab, rich, LAYOUT)
    assert "--bind=/dev/null:/dev/nvidia0" in command and "--bind=/dev/null:/dev/nvidia1" in command
    assert "--bind-ro=/var/lib/ogai-lab/meminfo:/proc/meminfo" in command
    assert "GPU 1: NVIDIA L4" in files(lab, rich)["usr/local/bin/nvidia-smi"]
    assert not any("meminfo" in path or "nvidia" in path for path in files(lab, plain))
    assert not any("meminfo" in word or "nvidia" in word for word in keeper_command(lab, plain, LAYOUT))


def test_the_memory_shown_is_the_limit() -> None:
    shown = render_meminfo(3 * 2**30).splitlines()
    memory = parse_memory({"/proc/meminfo": tuple(shown)})
    assert memory.total_bytes == 3 * 2**30
    assert memory.available_bytes is not None and memory.available_bytes < 3 * 2**30
    assert memory.swap_total_bytes == 0
