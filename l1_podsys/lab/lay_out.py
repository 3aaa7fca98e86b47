"""Folders of hosts: disk, keys, and the files laid into a host at its first start."""

import shutil
from collections.abc import Sequence
from pathlib import Path

from l0_infra.core.exec import Command, Runner
from l1_podsys.lab.documents import Lab, LabHost
from l1_podsys.lab.host import HostFile, Keys, render_files
from l1_podsys.lab.layout import Layout
from l1_podsys.lab.ssh import keep_key

__all__ = ["lay_out_host", "lay_out_lab"]

LOOPS = Path("/dev/loop-control")
"""Without it a host's disk is a folder of this machine's, and as large as that."""

RESOLVERS = (Path("/etc/resolv.conf"), Path("/run/systemd/resolve/resolv.conf"))


def lay_out_lab(runner: Runner, lab: Lab, layout: Layout) -> str:
    """Make what all hosts have in common; return the public key that logs in to them."""
    layout.disks(lab).mkdir(mode=0o700, parents=True, exist_ok=True)
    _, public = keep_key(runner, layout.key, f"lab {lab.name}")
    layout.shared(lab).mkdir(exist_ok=True)
    layout.shared(lab).chmod(0o1777)
    return public


def lay_out_host(runner: Runner, lab: Lab, host: LabHost, layout: Layout, login_public: str) -> str:
    """Make a host's folder where it lacks something; return the host's public key."""
    folder = layout.host(lab, host)
    for below in ("files", "disk", "root"):
        (folder / below).mkdir(parents=True, exist_ok=True)
    private, public = keep_key(runner, folder / "host_key", host.name)
    keys = Keys(login_public=login_public, host_private=private, host_public=public)
    _write(folder / "files", render_files(host, lab, keys, resolver=_resolver()), user=_user(Path(lab.image)))
    if LOOPS.exists() and not (folder / "disk.img").exists():
        _make_disk(runner, folder, lab.disk_bytes)
    return public


def _write(root: Path, given: Sequence[HostFile], *, user: tuple[int, int]) -> None:
    for file in given:
        path = root / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.content)
        path.chmod(file.mode)
        if file.ours:
            shutil.chown(path, *user)


def _make_disk(runner: Runner, folder: Path, size_bytes: int) -> None:
    """Make the host's own file system in a file that takes no more room than is written to it."""
    half = folder / "disk.half"
    with half.open("wb") as disk:
        disk.truncate(size_bytes)
    options = ("-m", "0", "-O", "^has_journal", "-E", "lazy_itable_init=1")
    runner.run(Command(argv=("mkfs.ext4", "-q", "-F", *options, str(half)))).check()
    half.rename(folder / "disk.img")


def _resolver() -> str:
    """Return this machine's resolv.conf; a host can ask only servers that are not this machine's own."""
    for file in RESOLVERS:
        if file.exists() and "nameserver 127." not in (text := file.read_text()):
            return text
    return ""


def _user(image: Path) -> tuple[int, int]:
    """Read the numbers of the user `ogai` from an image's passwd file."""
    lines = (image / "etc/passwd").read_text().splitlines()
    fields = next(line for line in lines if line.startswith("ogai:")).split(":")
    return int(fields[2]), int(fields[3])
