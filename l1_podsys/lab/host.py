"""How a host of the lab is started, and the files that make it this host and no other. Pure."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from l1_podsys.lab.cgroups import Groups
from l1_podsys.lab.documents import SHARED, Lab, LabHost
from l1_podsys.lab.layout import Layout
from l1_podsys.lab.limits import render_meminfo
from l1_podsys.lab.pretended import DEVICE, device_files, render_tool

__all__ = ["PROXY_PORT", "HostFile", "Keys", "keeper_command", "keeper_environment", "render_files"]

UNIFIED = "SYSTEMD_NSPAWN_UNIFIED_HIERARCHY"
"""Debian 13's systemd refuses control groups of version 1; Debian 12's runs with either."""

MEMINFO = "var/lib/ogai-lab/meminfo"
"""Shown as /proc/meminfo; within the host, for systemd-nspawn lays it over when it no longer sees this machine."""

PROXY_PORT = 7317
"""No other service's by custom, so that one on all addresses of this machine is not met."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Keys:
    """The lab's public key, and a host's own pair."""

    login_public: str
    host_private: str
    host_public: str


@dataclass(frozen=True, kw_only=True, slots=True)
class HostFile:
    """A file laid into a host before its first start; `ours`: it belongs to the user `ogai`."""

    path: str
    content: str
    mode: int = 0o644
    ours: bool = False


def keeper_command(lab: Lab, host: LabHost, layout: Layout) -> tuple[str, ...]:
    """Write the systemd-nspawn that is the host."""
    return (
        "systemd-nspawn",
        "--quiet",
        "--settings=no",
        "--register=no",
        "--keep-unit",
        "--boot",
        f"--directory={layout.host(lab, host)}/root",
        f"--machine={lab.machine(host)}",
        f"--hostname={host.name}",
        f"--uuid={machine_id(lab, host)}",
        "--network-namespace-path=/proc/self/ns/net",
        "--capability=CAP_NET_ADMIN",
        "--link-journal=no",
        "--resolv-conf=off",
        "--timezone=off",
        "--console=read-only",
        f"--bind={layout.shared(lab)}:{SHARED}",
        *(() if host.memory_bytes is None else (f"--bind-ro=/{MEMINFO}:/proc/meminfo",)),
        *(f"--bind={DEVICE}:{file}" for file in device_files(host.accelerators)),
    )


def keeper_environment(lab: Lab, host: LabHost, layout: Layout, groups: Groups) -> Mapping[str, str]:
    """Write what the keeper must know beyond its command."""
    return {
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "LAB_FOLDER": str(layout.host(lab, host)),
        "LAB_IMAGE": lab.image,
        "LAB_GROUPS": " ".join(str(root / lab.group / host.name) for root in groups.roots()),
        "LAB_BRIDGE": lab.bridge,
        "LAB_CABLE": lab.cable(host),
        "LAB_ADDRESS": f"{host.address}/{lab.subnet.prefixlen}",
        "LAB_GATEWAY": lab.gateway,
        "LAB_MAC": mac_address(lab, host),
        UNIFIED: "1",
        "SYSTEMD_NSPAWN_LOCK": "0",
        "SYSTEMD_NSPAWN_API_VFS_WRITABLE": "network",
    }


def render_files(host: LabHost, lab: Lab, keys: Keys, *, resolver: str) -> tuple[HostFile, ...]:
    """Write the files in which hosts differ: names, keys, and how names are resolved."""
    names = f"127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n{host.address} {host.name}\n"
    proxy = f'Acquire::http::Proxy "http://{lab.gateway}:{PROXY_PORT}";\n'
    return (
        HostFile(path="etc/hostname", content=f"{host.name}\n"),
        HostFile(path="etc/hosts", content=names),
        HostFile(path="etc/resolv.conf", content=resolver),
        HostFile(path="etc/machine-id", content=f"{machine_id(lab, host)}\n", mode=0o444),
        HostFile(path="etc/ssh/ssh_host_ed25519_key", content=keys.host_private, mode=0o600),
        HostFile(path="etc/ssh/ssh_host_ed25519_key.pub", content=keys.host_public),
        HostFile(path="etc/apt/apt.conf.d/91lab-proxy", content=proxy),
        HostFile(path="home/ogai/.ssh/authorized_keys", content=keys.login_public, mode=0o600, ours=True),
        *_variety(host),
    )


def _variety(host: LabHost) -> Iterator[HostFile]:
    if host.memory_bytes is not None:
        yield HostFile(path=MEMINFO, content=render_meminfo(host.memory_bytes))
    if host.accelerators:
        tool = render_tool(host.name, host.accelerators)
        yield HostFile(path="usr/local/bin/nvidia-smi", content=tool, mode=0o755)


def machine_id(lab: Lab, host: LabHost) -> str:
    """Make the host's machine id, the same whenever it is started."""
    return hashlib.md5(f"{lab.lab_id}/{host.name}".encode(), usedforsecurity=False).hexdigest()


def mac_address(lab: Lab, host: LabHost) -> str:
    """Make the address of the host's network card: locally administered, unlike any other lab's."""
    digits = f"02{lab.lab_id}{host.number:04x}"
    return ":".join(digits[place : place + 2] for place in range(0, 12, 2))
