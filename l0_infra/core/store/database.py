"""One SQLite file of one layer: WAL, durable commits, migrations, and errors a person can act on."""

import contextlib
import os
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

from l0_infra.core.errors import EngineError

__all__ = ["Database"]

BUSY_TIMEOUT_S = 20.0


class Database:
    """A connection whose statements run in explicit transactions.

    A commit outlives any kill; a `durable` one outlives a power cut as well, and costs a wait for the disk.
    `migrations[n]` brings schema version n to n + 1. A file written by a newer version is refused.
    Every sqlite3 error leaves as an EngineError that says whether a retry makes sense.
    """

    def __init__(
        self,
        path: Path,
        migrations: Sequence[str],
        *,
        durable: bool = True,
        busy_timeout_s: float = BUSY_TIMEOUT_S,
    ) -> None:
        self.path = path
        with self.told():
            self.connection = sqlite3.connect(path, timeout=busy_timeout_s, isolation_level=None)
            try:
                self.connection.row_factory = sqlite3.Row
                self.connection.execute("PRAGMA journal_mode = WAL")
                self.connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
                self.connection.execute("PRAGMA foreign_keys = ON")
                self.migrate(migrations)
                self.identity = path.stat()
            except BaseException:
                self.connection.close()
                raise

    def migrate(self, migrations: Sequence[str]) -> None:
        """Bring the schema up to date, in one transaction, whoever comes first."""
        if self.version() == len(migrations):
            return
        with self.transaction() as connection:
            version = self.version()
            if version > len(migrations):
                raise EngineError(
                    str(self.path),
                    found=f"schema version {version}",
                    expected=f"at most {len(migrations)}",
                    hint="a newer ogai wrote this file: upgrade this one, or choose another OGAI_HOME",
                )
            for script in migrations[version:]:
                for statement in filter(str.strip, script.split(";")):
                    connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {len(migrations)}")

    def version(self) -> int:
        return int(self.connection.execute("PRAGMA user_version").fetchone()[0])

    def is_in_place(self) -> bool:
        """Tell whether the file is still the one at its path; a removed or replaced one is written to in vain."""
        try:
            return os.path.samestat(self.identity, self.path.stat())
        except OSError:
            return False

    def data_version(self) -> int:
        """Return a number that changes whenever another connection committed."""
        with self.told():
            return int(self.connection.execute("PRAGMA data_version").fetchone()[0])

    @contextlib.contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Hold the write lock; commit at the end, roll back on any exception."""
        with self.told():
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield self.connection
                self.connection.execute("COMMIT")
            except BaseException:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                raise

    @contextlib.contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """See one consistent state of the file."""
        with self.told():
            self.connection.execute("BEGIN")
            try:
                yield self.connection
            finally:
                self.connection.execute("ROLLBACK")

    def close(self) -> None:
        self.connection.close()

    @contextlib.contextmanager
    def told(self) -> Iterator[None]:
        """Tell sqlite3's errors in our words."""
        try:
            yield
        except sqlite3.Error as error:
            raise explain(self.path, error) from error


def explain(path: Path, error: sqlite3.Error) -> EngineError:
    """Turn an sqlite3 error into one that says what to do."""
    name = getattr(error, "sqlite_errorname", "") or type(error).__name__
    expected, hint, retry = "a store that can be written", "", False
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        expected, hint, retry = "the write lock in time", "another process holds it; try again", True
    elif name.startswith("SQLITE_FULL") or "disk" in str(error):
        hint, retry = f"free some space where {path.parent} lies, then try again; nothing was lost", True
    elif name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        expected = "a store that ogai wrote"
        hint = f"move {path} away to start with an empty one, and keep it for inspection"
    elif name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN")):
        hint = f"check who owns {path} and that its disk is not read-only"
    return EngineError(str(path), found=str(error), expected=expected, hint=hint, retry=retry)
