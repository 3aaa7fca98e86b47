"""Keys of a lab, and what ssh is told about it."""

from pathlib import Path

from l0_infra.core.exec import Command, Runner
from l0_infra.core.store import save_file
from l1_podsys.lab.documents import Lab
from l1_podsys.lab.layout import Layout

__all__ = ["USER", "keep_key", "render_known_hosts", "render_ssh_config"]

USER = "ogai"


def keep_key(runner: Runner, file: Path, comment: str) -> tuple[str, str]:
    """Return a private and a public key, made where there are none yet."""
    public = file.with_name(f"{file.name}.pub")
    if not public.exists():
        file.unlink(missing_ok=True)
        argv = ("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", comment, "-f", str(file))
        runner.run(Command(argv=argv)).check()
    return file.read_text(), public.read_text()


def render_known_hosts(lab: Lab, public_keys: dict[str, str]) -> str:
    """Write a line for each host, by name and address."""
    lines = []
    for host in lab.hosts:
        kind, key = public_keys[host.name].split()[:2]
        lines.append(f"{host.name},{host.address} {kind} {key}\n")
    return "".join(lines)


def render_ssh_config(lab: Lab, layout: Layout) -> str:
    """Write what `ssh -F` needs to reach the hosts by name."""
    blocks = [f"Host {host.name}\n  HostName {host.address}\n" for host in lab.hosts]
    everyone = (
        "Host *",
        f"  User {USER}",
        f"  IdentityFile {layout.key}",
        "  IdentitiesOnly yes",
        f"  UserKnownHostsFile {layout.known_hosts}",
        "  StrictHostKeyChecking yes",
    )
    return "".join(blocks) + "\n".join(everyone) + "\n"


def save_ssh(lab: Lab, layout: Layout, public_keys: dict[str, str]) -> None:
    """Write both files."""
    save_file(layout.known_hosts, render_known_hosts(lab, public_keys).encode())
    save_file(layout.ssh_config, render_ssh_config(lab, layout).encode())
