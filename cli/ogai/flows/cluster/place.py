"""Where a cluster is kept on this machine: OGAI_HOME/clusters/<name>/, and who is at work on it."""

import contextlib
import fcntl
import getpass
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from l0_infra.core.documents import read_document, render_document
from l0_infra.core.errors import EngineError, UsageError
from l0_infra.core.store import load_file, ogai_home, prepare_home, save_file
from l1_podsys import Trait
from l1_podsys.schemas import Cluster

__all__ = ["CURRENT", "ClusterPlace", "Holder", "current_name", "known_names", "place_of"]

GUARD_S = 60.0
"""How long what a killed run left is waited for."""

CURRENT = "current"


class Holder(msgspec.Struct, frozen=True, kw_only=True):
    """Who is at work on a cluster."""

    pid: int
    user: str
    what: str
    since: float


@dataclass(frozen=True, kw_only=True, slots=True)
class ClusterPlace:
    """The folder of one cluster."""

    home: Path
    name: str

    @property
    def folder(self) -> Path:
        """Everything of this cluster."""
        return self.home / "clusters" / self.name

    @property
    def document(self) -> Path:
        """The `cluster` document as it was last applied."""
        return self.folder / "cluster.yaml"

    @property
    def ledger(self) -> Path:
        """What was done on each node."""
        return self.folder / "ledger.db"

    @property
    def secrets(self) -> Path:
        """The munge key and passwords; only this user can read them."""
        return self.folder / "secrets"

    @property
    def guard(self) -> Path:
        """A file that every ansible-playbook of this cluster holds locked."""
        return self.folder / "playbooks.lock"

    def run(self, run: str) -> Path:
        """Return the folder of a run."""
        return self.folder / "runs" / run

    def prepare(self) -> None:
        """Make the folders."""
        prepare_home(self.home)
        for folder in (self.folder, self.secrets, self.folder / "runs"):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def load(self) -> Cluster:
        """Read the document; UsageError when the cluster was never brought up from here."""
        if not self.document.exists():
            raise UsageError(
                f"cluster `{self.name}`",
                found="no such cluster here",
                expected=f"one of {', '.join(known_names(self.home))}"
                if known_names(self.home)
                else "a cluster",
                hint="ogai cluster up FILE brings one up",
            )
        return read_document(self.document, expect=Cluster)

    def save(self, cluster: Cluster) -> None:
        """Keep the document, and make the cluster the current one."""
        save_file(self.document, render_document(cluster).encode(), mode=0o600)
        save_file(self.home / "clusters" / CURRENT, f"{self.name}\n".encode())

    def load_traits(self) -> dict[str, Trait]:
        """Return what was last found of each node."""
        try:
            return msgspec.json.decode(load_file(self.folder / "traits.json"), type=dict[str, Trait])
        except FileNotFoundError:
            return {}

    def save_traits(self, traits: Mapping[str, Trait]) -> None:
        """Keep what was found of each node."""
        save_file(self.folder / "traits.json", msgspec.json.encode(dict(traits)), durable=False)

    @contextlib.contextmanager
    def hold(self, what: str) -> Iterator[None]:
        """Be the only one at work on this cluster for a block; EngineError says who is."""
        self.prepare()
        descriptor = os.open(self.folder / "up.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise self._held(os.pread(descriptor, 4096, 0)) from None
            holder = Holder(pid=os.getpid(), user=getpass.getuser(), what=what, since=time.time())
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, msgspec.json.encode(holder), 0)
            self._await_killed()
            yield
        finally:
            os.close(descriptor)

    def at_work(self) -> Holder | None:
        """Tell who is at work on this cluster now; None: nobody."""
        try:
            descriptor = os.open(self.folder / "up.lock", os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return msgspec.json.decode(os.pread(descriptor, 4096, 0), type=Holder)
        finally:
            os.close(descriptor)
        return None

    def _held(self, text: bytes) -> EngineError:
        try:
            holder = msgspec.json.decode(text, type=Holder)
            since = time.strftime("%H:%M:%S", time.localtime(holder.since))
            found = f"`{holder.what}` of {holder.user} at work since {since}, process {holder.pid}"
        except msgspec.DecodeError:
            found = "another run at work"
        return EngineError(
            f"cluster `{self.name}`",
            found=found,
            expected="one run at a time",
            hint="wait for its end",
            retry=True,
        )

    def _await_killed(self) -> None:
        """Wait until nothing is left of the playbooks of a run that was killed."""
        descriptor = os.open(self.guard, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            end = time.monotonic() + GUARD_S
            while True:
                try:
                    return fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    if time.monotonic() > end:
                        raise EngineError(
                            str(self.guard),
                            found="ansible-playbook of a run that was killed, still at work",
                            expected="its end",
                            hint=f"see who holds it: fuser -v {self.guard}",
                            retry=True,
                        ) from None
                    time.sleep(0.2)
        finally:
            os.close(descriptor)


def known_names(home: Path) -> tuple[str, ...]:
    """List the clusters that are kept here."""
    return tuple(sorted(path.parent.name for path in (home / "clusters").glob("*/cluster.yaml")))


def current_name(home: Path) -> str | None:
    """Name the current cluster; None when there is none."""
    try:
        return (home / "clusters" / CURRENT).read_text("utf-8").strip() or None
    except FileNotFoundError:
        return None


def place_of(name: str | None = None) -> ClusterPlace:
    """Find a cluster by its name, else the current one; UsageError when there is none."""
    home = ogai_home(os.environ)
    chosen = name or current_name(home)
    if chosen is None:
        raise UsageError(
            "cluster",
            found="no current cluster",
            expected="a cluster that was brought up",
            hint="ogai cluster up FILE brings one up",
        )
    return ClusterPlace(home=home, name=chosen)
