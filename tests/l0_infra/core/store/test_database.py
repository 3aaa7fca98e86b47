"""SQLite's troubles are told in words a person can act on, and nothing half-done stays."""

import sqlite3
from pathlib import Path

import pytest

from l0_infra.core.errors import EngineError
from l0_infra.core.store import Database

TABLE = "CREATE TABLE t (x INTEGER NOT NULL)"


def count(database: Database) -> int:
    with database.reading() as connection:
        return int(connection.execute("SELECT count(*) FROM t").fetchone()[0])


def test_a_failed_transaction_leaves_nothing(tmp_path: Path) -> None:
    database = Database(tmp_path / "a.db", [TABLE])

    def half_done() -> None:
        with database.transaction() as connection:
            connection.execute("INSERT INTO t VALUES (1)")
            raise KeyError("stop")

    with pytest.raises(KeyError):
        half_done()
    assert count(database) == 0
    database.close()


def test_migrations_run_once_each(tmp_path: Path) -> None:
    Database(tmp_path / "a.db", [TABLE]).close()
    database = Database(tmp_path / "a.db", [TABLE, "INSERT INTO t VALUES (7)"])
    database.close()
    again = Database(tmp_path / "a.db", [TABLE, "INSERT INTO t VALUES (7)"])
    assert count(again) == 1
    again.close()


def test_a_newer_file_is_refused(tmp_path: Path) -> None:
    Database(tmp_path / "a.db", [TABLE, "SELECT 1"]).close()
    with pytest.raises(EngineError, match="schema version 2") as caught:
        Database(tmp_path / "a.db", [TABLE])
    assert "upgrade" in caught.value.hint


def test_a_held_lock_is_told_and_may_be_retried(tmp_path: Path) -> None:
    database = Database(tmp_path / "a.db", [TABLE], busy_timeout_s=0.05)
    other = sqlite3.connect(tmp_path / "a.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(EngineError, match="locked") as caught, database.transaction():
        pass
    assert caught.value.retry
    other.close()
    with database.transaction() as connection:
        connection.execute("INSERT INTO t VALUES (1)")
    assert count(database) == 1
    database.close()


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.db").write_bytes(b"not a database" * 100)
    with pytest.raises(EngineError) as caught:
        Database(tmp_path / "a.db", [TABLE])
    assert "move" in caught.value.hint


def test_a_reader_notices_another_writer(tmp_path: Path) -> None:
    reader, writer = Database(tmp_path / "a.db", [TABLE]), Database(tmp_path / "a.db", [TABLE])
    before = reader.data_version()
    with writer.transaction() as connection:
        connection.execute("INSERT INTO t VALUES (1)")
    assert reader.data_version() != before
    reader.close()
    writer.close()


def test_a_commit_is_durable_when_it_returns(tmp_path: Path) -> None:
    database = Database(tmp_path / "a.db", [TABLE])
    synchronous = database.connection.execute("PRAGMA synchronous").fetchone()[0]
    database.close()
    assert synchronous == 2  # FULL: https://sqlite.org/pragma.html#pragma_synchronous
