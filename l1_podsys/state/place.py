"""Where a cluster is kept on this machine: OGAI_HOME/clusters/<name>/, read and written whole."""

import contextlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import msgspec

from l0_infra.core.documents import read_document, render_document
from l0_infra.core.errors import EngineError, UsageError, describe_os_error
from l0_infra.core.store import load_file, prepare_home, save_file
from l0_infra.schemas import FabricMap
from l1_podsys.bringup import HOST_AUTHORITY, MUNGE_KEY, PASSWORD, Trait
from l1_podsys.schemas import Cluster, ClusterState, Health
from l1_podsys.state.current import current_name, known_names, make_current
from l1_podsys.state.hold import Holder, held, holder_of, refuse_busy
from l1_podsys.state.known_health import KnownHealth, health_with
from l1_podsys.state.notes import Notes
from l1_podsys.state.summary import ClusterSummary, save_summary

__all__ = ["ClusterPlace", "place_in"]

Kept = TypeVar("Kept")
Absent = TypeVar("Absent")


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
    def gates(self) -> Path:
        """Speeds of earlier clean checks."""
        return self.folder / "gates.json"

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
        """Make the folders. Raises EngineError where they cannot be made."""
        prepare_home(self.home)
        for folder in (self.folder, self.secrets, self.folder / "runs"):
            try:
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            except OSError as error:
                raise EngineError(
                    str(folder), found=describe_os_error(error), expected="a folder that can be made"
                ) from error

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
        """Keep the document, and make the cluster the current one; who is in it was not removed."""
        save_file(self.document, render_document(cluster).encode(), mode=0o600)
        count = sum(len(group.listed()) for group in cluster.nodes)
        summary = ClusterSummary(name=self.name, scheduler=cluster.scheduler.engine, nodes=count)
        save_summary(self.folder, summary)
        make_current(self.home, self.name)
        notes = self.load_notes()
        names = {node.name for group in cluster.nodes for node in group.listed()}
        if (now := notes.having(names)) != notes:
            self.save_notes(now)

    def load_notes(self) -> Notes:
        """Return what earlier runs noted."""
        return self._load("notes.json", Notes, Notes())

    def save_notes(self, notes: Notes) -> None:
        """Keep it."""
        save_file(self.folder / "notes.json", msgspec.json.encode(notes))

    def load_identity(self) -> str | None:
        """Return what tells this cluster from another of its name; None before it was first brought up."""
        return self._load("identity.json", str, None)

    def save_identity(self, identity: str) -> None:
        """Keep it."""
        if self.load_identity() != identity:
            save_file(self.folder / "identity.json", msgspec.json.encode(identity))

    def has_secrets(self) -> bool:
        """Whether all secrets were made."""
        return all((self.secrets / name).exists() for name in (MUNGE_KEY, PASSWORD, HOST_AUTHORITY))

    def load_traits(self) -> dict[str, Trait]:
        """Return what was last found of each node."""
        return self._load("traits.json", dict[str, Trait], {})

    def save_traits(self, traits: Mapping[str, Trait]) -> None:
        """Keep what was found of each node."""
        save_file(self.folder / "traits.json", msgspec.json.encode(dict(traits)), durable=False)

    def load_fabric(self) -> FabricMap | None:
        """Return the map of the InfiniBand fabric that was last read; None when none was."""
        return self._load("fabric.json", FabricMap, None)

    def save_fabric(self, fabric: FabricMap) -> None:
        """Keep it."""
        save_file(self.folder / "fabric.json", msgspec.json.encode(fabric), durable=False)

    def load_state(self) -> ClusterState | None:
        """Return what was last observed of the cluster; None when nothing was."""
        return self._load("state.json", ClusterState, None)

    def load_health(self) -> KnownHealth:
        """Return what checks found so far."""
        return self._load("health.json", KnownHealth, KnownHealth())

    def save_health(self, health: Health, nodes: Sequence[str]) -> None:
        """Take in a round of checks of these nodes."""
        self.prepare()
        known = health_with(self.load_health(), health, nodes)
        save_file(self.folder / "health.json", msgspec.json.format(msgspec.json.encode(known)), mode=0o600)

    def refuse_busy(self) -> None:
        """Raise EngineError that says who is at work on this cluster, if anybody is."""
        refuse_busy(self.folder / "up.lock", cluster=self.name)

    def at_work(self) -> Holder | None:
        """Tell who is at work on this cluster now; None: nobody."""
        return holder_of(self.folder / "up.lock")

    @contextlib.contextmanager
    def hold(self, what: str, on_wait: Callable[[str], None] = lambda text: None) -> Iterator[None]:
        """Be the only one at work on this cluster for a block; EngineError says who is, `on_wait` who is waited for."""
        self.prepare()
        lock = self.folder / "up.lock"
        with held(lock, self.guard, cluster=self.name, what=what, on_wait=on_wait):
            yield

    def _load(self, name: str, kind: type[Kept], absent: Absent) -> Kept | Absent:
        path = self.folder / name
        try:
            return msgspec.json.decode(load_file(path), type=kind)
        except FileNotFoundError:
            return absent
        except (OSError, msgspec.DecodeError) as error:
            raise EngineError(
                str(path),
                found=describe_os_error(error) if isinstance(error, OSError) else str(error),
                expected="what ogai wrote",
                hint="remove it: the next look at the nodes writes it anew",
            ) from error


def place_in(home: Path, name: str | None = None) -> ClusterPlace:
    """Find a cluster by its name, else the current one. Raises UsageError for a name no cluster can have, or none."""
    chosen = name or current_name(home)
    if chosen is None:
        raise UsageError(
            "cluster",
            found="no current cluster",
            expected="a cluster that was brought up",
            hint="ogai cluster up FILE brings one up",
        )
    if not re.fullmatch(r"[a-z][a-z0-9-]{0,39}", chosen):
        raise UsageError(
            "cluster", found=f"`{chosen}`", expected="a name of lowercase letters, digits and hyphens"
        )
    return ClusterPlace(home=home, name=chosen)
