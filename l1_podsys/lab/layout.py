"""Where the files of labs lie."""

from dataclasses import dataclass
from pathlib import Path

from l1_podsys.lab.documents import Lab, LabHost

__all__ = ["Layout"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Layout:
    """The files of one lab below `OGAI_HOME/labs/NAME`."""

    folder: Path

    @classmethod
    def of(cls, home: Path, name: str) -> "Layout":
        """The layout of a lab by its name."""
        return cls(folder=home / "labs" / name)

    @property
    def state(self) -> Path:
        """What exists, written before it is made."""
        return self.folder / "lab.json"

    @property
    def commands(self) -> Path:
        """Locked by every command that brings the lab up."""
        return self.folder / "commands"

    @property
    def key(self) -> Path:
        """Private key that logs in to every host."""
        return self.folder / "id_ed25519"

    @property
    def known_hosts(self) -> Path:
        """The hosts' own keys."""
        return self.folder / "known_hosts"

    @property
    def ssh_config(self) -> Path:
        """For `ssh -F`."""
        return self.folder / "ssh_config"

    def disks(self, lab: Lab) -> Path:
        """Where what grows lies: the hosts' disks and the shared storage."""
        return Path(lab.directory)

    def shared(self, lab: Lab) -> Path:
        """The directory that all hosts see as /shared."""
        return self.disks(lab) / "shared"

    def proxy(self, lab: Lab) -> Path:
        """The folder of the proxy for packages, which holds a lock on it."""
        return self.disks(lab) / "packages"

    def host(self, lab: Lab, host: LabHost) -> Path:
        """The folder of one host; its keeper holds a lock on it."""
        return self.disks(lab) / host.name
