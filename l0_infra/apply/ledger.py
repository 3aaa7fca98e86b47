"""What was done on which node, kept so that any run goes on where another was ended, however it was ended."""

import contextlib
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, Self

import msgspec

from l0_infra.core.store import Database
from l0_infra.roles import fingerprint

__all__ = ["Entry", "Ledger", "RunRecord", "StepState"]

StepState = Literal["begun", "done", "failed"]

MIGRATIONS = (
    """
    CREATE TABLE steps (
        id TEXT PRIMARY KEY, node TEXT NOT NULL, name TEXT NOT NULL, key TEXT NOT NULL, parts TEXT NOT NULL,
        state TEXT NOT NULL, run TEXT NOT NULL, at REAL NOT NULL, seconds REAL NOT NULL, changed INTEGER NOT NULL,
        message TEXT NOT NULL, found TEXT, mark TEXT
    ) WITHOUT ROWID;
    CREATE INDEX steps_of_node ON steps (node);
    CREATE TABLE runs (
        id TEXT PRIMARY KEY, what TEXT NOT NULL, began_at REAL NOT NULL, ended_at REAL, outcome TEXT NOT NULL
    ) WITHOUT ROWID
    """,
)


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One step as it was last left.

    `parts` are digests of what the key was made of; `found` is what a look found after it was done, as JSON, and
    `mark` its fingerprint; both are null until somebody looked.
    """

    id: str
    node: str
    name: str
    key: str
    parts: str = "{}"
    state: StepState
    run: str = ""
    at: float = 0.0
    seconds: float = 0.0
    changed: int = 0
    message: str = ""
    found: str | None = None
    mark: str | None = None

    def found_items(self) -> dict[str, str]:
        """Return what was found of each thing; empty when nobody looked."""
        return msgspec.json.decode(self.found or "{}", type=dict[str, str])


class RunRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One run; `outcome` is empty while it runs, or when it was killed."""

    id: str
    what: str
    began_at: float
    ended_at: float | None = None
    outcome: str = ""


class Ledger:
    """The steps of one cluster's nodes. One thread writes; a write outlives any kill, but not a power cut."""

    def __init__(self, path: Path) -> None:
        self._database = Database(path, MIGRATIONS, durable=False)

    def entries(self, nodes: Iterable[str] | None = None) -> Mapping[str, Entry]:
        """Return the steps of these nodes (None: all) by their ids."""
        with self._database.reading() as connection:
            if nodes is None:
                rows = connection.execute("SELECT * FROM steps").fetchall()
            else:
                query = "SELECT * FROM steps WHERE node = ?"
                rows = [row for node in nodes for row in connection.execute(query, (node,))]
        return {row["id"]: Entry(**dict(zip(row.keys(), row, strict=True))) for row in rows}

    def nodes(self) -> tuple[str, ...]:
        """Name the nodes of which anything is known."""
        with self._database.reading() as connection:
            return tuple(
                row[0] for row in connection.execute("SELECT DISTINCT node FROM steps ORDER BY node")
            )

    def save(self, *entries: Entry) -> None:
        """Write steps as they are now."""
        places = ", ".join(f":{name}" for name in Entry.__struct_fields__)
        names = ", ".join(Entry.__struct_fields__)
        with self._database.transaction() as connection:
            rows = [msgspec.structs.asdict(entry) for entry in entries]
            connection.executemany(f"INSERT OR REPLACE INTO steps ({names}) VALUES ({places})", rows)

    def note_found(self, found: Mapping[str, Mapping[str, str]]) -> None:
        """Write what a look found of done steps, by their ids."""
        rows = [
            (msgspec.json.encode(dict(items)).decode(), fingerprint(items), step)
            for step, items in found.items()
        ]
        with self._database.transaction() as connection:
            query = "UPDATE steps SET found = ?, mark = ? WHERE id = ? AND state = 'done'"
            connection.executemany(query, rows)

    def forget(self, nodes: Iterable[str]) -> None:
        """Remove all that is known of these nodes."""
        with self._database.transaction() as connection:
            connection.executemany("DELETE FROM steps WHERE node = ?", [(node,) for node in nodes])

    def begin_run(self, run: RunRecord) -> None:
        """Note that a run begins."""
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT INTO runs VALUES (:id, :what, :began_at, :ended_at, :outcome)",
                msgspec.structs.asdict(run),
            )

    def end_run(self, run: str, at: float, outcome: str) -> None:
        """Note how a run ended."""
        with self._database.transaction() as connection:
            connection.execute("UPDATE runs SET ended_at = ?, outcome = ? WHERE id = ?", (at, outcome, run))

    def last_runs(self, count: int) -> tuple[RunRecord, ...]:
        """Return the last runs, the newest first."""
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT * FROM runs ORDER BY began_at DESC LIMIT ?", (count,)
            ).fetchall()
        return tuple(RunRecord(**dict(zip(row.keys(), row, strict=True))) for row in rows)

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()

    @classmethod
    @contextlib.contextmanager
    def copy_of(cls, path: Path) -> Iterator[Self]:
        """Hold a copy of a ledger open for a block, an empty one where there is none; nothing is written beside it."""
        with TemporaryDirectory() as folder:
            copy = Path(folder) / path.name
            for ending in ("", "-wal"):
                with contextlib.suppress(FileNotFoundError):
                    shutil.copyfile(f"{path}{ending}", f"{copy}{ending}")
            with cls.at(copy) as ledger:
                yield ledger

    @classmethod
    @contextlib.contextmanager
    def at(cls, path: Path) -> Iterator[Self]:
        """Hold the ledger open for a block."""
        ledger = cls(path)
        try:
            yield ledger
        finally:
            ledger.close()
