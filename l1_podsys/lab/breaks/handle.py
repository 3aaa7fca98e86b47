"""The host that is broken or mended, and ways to it that need neither its network nor its sshd."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from l0_infra.core.errors import RemoteError
from l0_infra.core.exec import Command, Outcome, Runner
from l1_podsys.lab.cgroups import Groups, is_frozen
from l1_podsys.lab.documents import Lab, LabHost
from l1_podsys.lab.enter import console_command
from l1_podsys.lab.keepers import leader_of
from l1_podsys.lab.layout import Layout

__all__ = ["HostHandle"]


@dataclass(frozen=True, kw_only=True, slots=True)
class HostHandle:
    """One host of a lab."""

    lab: Lab
    host: LabHost
    layout: Layout
    groups: Groups
    runner: Runner

    def __str__(self) -> str:
        return self.host.name

    @property
    def group(self) -> str:
        """The host's control group."""
        return f"{self.lab.group}/{self.host.name}"

    @property
    def machine(self) -> str:
        """The control group of what runs inside it."""
        return f"{self.group}/machine"

    @property
    def folder(self) -> Path:
        """The host's folder on this machine."""
        return self.layout.host(self.lab, self.host)

    @property
    def leader(self) -> int | None:
        """The host's first process; None when it is off."""
        return leader_of(self.groups, self.lab, self.host)

    def root(self) -> Path:
        """The host's files, as it sees them. Raises RemoteError when it is off."""
        return Path(f"/proc/{self._leader()}/root")

    def at_console(self, argv: Sequence[str]) -> tuple[str, ...]:
        """Write a command for the host's console. Raises RemoteError when the host is off or frozen."""
        leader = self._leader()
        if is_frozen(self.groups, self.machine):
            raise self._cannot("a host that is frozen")
        return console_command(self.lab, self.host, self.groups, leader, argv)

    def run(self, argv: Sequence[str], *, deadline_s: float = 60.0) -> Outcome:
        """Run a command at the host's console. Raises RemoteError when the host is off or frozen."""
        return self.runner.run(Command(argv=self.at_console(argv), deadline_s=deadline_s))

    def _leader(self) -> int:
        leader = self.leader
        if leader is None:
            raise self._cannot("a host that is off")
        return leader

    def _cannot(self, found: str) -> RemoteError:
        return RemoteError(
            f"lab host {self.host.name}",
            found=found,
            expected="one that runs",
            hint=f"ogai lab heal {self.host.name}",
        )
