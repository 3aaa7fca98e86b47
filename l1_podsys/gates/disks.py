"""Whether local file systems have room, and whether a file can be written where programs need it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from l1_podsys.gates.catalogue import Severity, verdict
from l1_podsys.gates.look import Look
from l1_podsys.schemas import Verdict

__all__ = ["judge_disks"]

WARN_PERCENT = 90
CRITICAL_PERCENT = 98
WITHOUT_MEASURE = ("/proc", "/sys", "/run/credentials", "/run/host", "/snap", "/var/lib/docker/overlay2")
"""Where what is full is full by design, or is counted elsewhere."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Used:
    mountpoint: str
    percent: int
    what: str

    def __str__(self) -> str:
        return f"{self.mountpoint} {self.percent} % of {self.what}"


def judge_disks(node: str, look: Look) -> Iterator[Verdict]:
    """Judge room for data and for files, and what was written for a try."""
    yield _room(node, look)
    yield _write(node, look)


def _room(node: str, look: Look) -> Verdict:
    used = [*_used(look.lines("blocks") or (), "its space"), *_used(look.lines("inodes") or (), "its files")]
    if not used:
        return verdict(node, "disk.full", "unknown", "df told nothing")
    worst = max(used, key=lambda one: one.percent)
    severity: Severity = (
        "critical"
        if worst.percent >= CRITICAL_PERCENT
        else "warning"
        if worst.percent >= WARN_PERCENT
        else "ok"
    )
    over = [one for one in used if one.percent >= WARN_PERCENT] or [worst]
    return verdict(node, "disk.full", severity, ", ".join(map(str, over)))


def _used(lines: Sequence[str], what: str) -> Iterator[_Used]:
    """Yield the rows of `df -P`: source, size, used, free, percent, mount point."""
    for line in lines:
        fields = line.split(None, 5)
        if len(fields) < 6 or not fields[4].rstrip("%").isdecimal() or _by_design(fields[0], fields[5]):
            continue
        yield _Used(mountpoint=fields[5], percent=int(fields[4].rstrip("%")), what=what)


def _by_design(source: str, mountpoint: str) -> bool:
    return source.startswith(("/dev/loop", "efivarfs", "squashfs", "cgroup")) or mountpoint.startswith(
        WITHOUT_MEASURE
    )


def _write(node: str, look: Look) -> Verdict:
    lines = look.lines("write") or ()
    tried = [line.split(" ", 2) for line in lines if " " in line.strip()]
    if not tried:
        return verdict(node, "disk.write", "unknown", "nothing was tried")
    bad = [fields for fields in tried if fields[0] != "ok"]
    if bad:
        return verdict(node, "disk.write", "critical", "; ".join(" ".join(fields[1:]) for fields in bad))
    return verdict(node, "disk.write", "ok", ", ".join(fields[1] for fields in tried))
