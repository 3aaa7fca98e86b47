"""Labs for tests: one that exists on paper, one of real hosts, and everything that a lab may leave behind."""

import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Network
from pathlib import Path
from typing import Self

import pytest

import ogai
from l1_podsys.lab.documents import Lab, LabWish
from l1_podsys.lab.requirements import missing_programs
from l1_podsys.lab.wish import plan_lab

__all__ = ["RealLab", "a_lab", "leavings", "skip_without_lab", "why_no_lab"]


def a_lab(*, nodes: int = 3, lab_id: str = "0a1b2c", vary: bool = False, name: str = "t-paper") -> Lab:
    """A lab that is nowhere."""
    return plan_lab(
        LabWish(name=name, nodes=nodes, vary=vary),
        lab_id=lab_id,
        image=Path("/cache/debian12-0123456789ab"),
        directory=Path("/home/labs") / name / "hosts",
        subnet=IPv4Network("10.217.7.0/24"),
    )


@dataclass
class RealLab:
    """A lab of real hosts, in an OGAI_HOME of its own."""

    name: str
    home: Path

    def up(self, *, nodes: int) -> Self:
        """Bring it up, with hosts that differ."""
        ogai.lab.up(self.name, nodes=nodes, vary=True, output=self.home / "lab.yaml")
        return self

    def down(self) -> None:
        """Leave nothing of it."""
        ogai.lab.down(self.name)

    @property
    def described(self) -> Lab:
        """What it consists of."""
        return ogai.lab.load(self.name)

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names of its hosts."""
        return tuple(host.name for host in self.described.hosts)

    def said(self, nodes: str, *argv: str) -> list[str]:
        """Run a command on hosts that must succeed; return what each said."""
        results = ogai.lab.exec_(nodes, argv)
        ogai.lab.raise_for_failed(results)
        return [result.value.stdout.strip() for result in results if result.value is not None]

    def seen(self) -> dict[str, tuple[str, tuple[str, ...]]]:
        """The state of each host, and what it is broken by."""
        (report,) = ogai.lab.probe()
        return {host.name: (host.state, host.broken) for host in report.hosts}

    def ssh(self, host: str, *argv: str, wait_s: int = 5) -> "subprocess.CompletedProcess[str]":
        """Log in as a person would."""
        config = self.home / "labs" / self.name / "ssh_config"
        command = [
            "ssh",
            "-F",
            str(config),
            "-o",
            "BatchMode=yes",
            "-o",
            f"ConnectTimeout={wait_s}",
            host,
            *argv,
        ]
        return subprocess.run(command, capture_output=True, text=True)


def skip_without_lab() -> None:
    """Skip a test where no lab can be made, and say why."""
    if why := why_no_lab():
        pytest.skip(why)


def why_no_lab() -> str:
    """Say why no lab can be made here; empty when one can."""
    if os.geteuid() != 0:
        return "a lab needs root"
    if missing := missing_programs():
        return f"a lab needs {', '.join(missing)}"
    apart = subprocess.run(["unshare", "--mount", "--net", "--pid", "--fork", "true"], capture_output=True)
    return f"a lab needs new namespaces: {apart.stderr.decode().strip()}" if apart.returncode else ""


def leavings(home: Path, lab_id: str | None) -> list[str]:
    """List what of a lab is still on this machine, found by its names and by its folder, not by its own records."""
    found = [f"folder {path}" for path in (home / "labs").glob("*")] if (home / "labs").exists() else []
    found += [f"process {text}" for text in _processes(str(home), lab_id)]
    found += [
        f"mount {line}" for line in Path("/proc/self/mountinfo").read_text().splitlines() if str(home) in line
    ]
    found += [f"loop device {path}" for path in _loops(str(home))]
    if lab_id is None:
        return found
    found += [f"interface {path.name}" for path in Path("/sys/class/net").glob(f"ogl{lab_id}*")]
    found += [f"control group {path}" for path in Path("/sys/fs/cgroup").glob(f"*/ogai-lab-{lab_id}")]
    found += [f"control group {path}" for path in Path("/sys/fs/cgroup").glob(f"ogai-lab-{lab_id}")]
    found += [f"systemd-nspawn's {path}" for path in Path("/run/systemd/nspawn").glob(f"*/*{lab_id}*")]
    tables = subprocess.run(["nft", "--json", "list", "tables"], capture_output=True, text=True, check=True)
    named = [one["table"]["name"] for one in json.loads(tables.stdout)["nftables"] if "table" in one]
    return found + [f"table {table}" for table in named if lab_id in table]


def _processes(home: str, lab_id: str | None) -> Iterator[str]:
    words = [home, *([lab_id] if lab_id else [])]
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            group = (folder / "cgroup").read_text()
            state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        ended = state == "Z" or int(folder.name) == os.getpid()  # who is to collect it is not the lab
        if not ended and any(word in command or word in group for word in words):
            yield f"{folder.name} {command}"


def _loops(home: str) -> Iterator[Path]:
    for file in Path("/sys/block").glob("loop*/loop/backing_file"):
        try:
            if home in file.read_text():
                yield file.parent.parent
        except OSError:
            continue
