"""Secrets are made once, whoever comes first, and only their owner can read them."""

import os
import stat
import subprocess
import sys
from pathlib import Path

from l1_podsys import HOST_AUTHORITY, MUNGE_KEY, PASSWORD, ensure_secrets

MAKER = """
import sys
from pathlib import Path
from l1_podsys import HOST_AUTHORITY, MUNGE_KEY, PASSWORD, ensure_secrets
folder = Path(sys.argv[1])
sys.stdin.read()
ensure_secrets(folder)
print((folder / MUNGE_KEY).read_bytes().hex(), (folder / PASSWORD).read_text().strip())
"""


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_they_are_made_once_and_are_private(tmp_path: Path) -> None:
    folder = tmp_path / "secrets"
    before = os.umask(0)
    try:
        ensure_secrets(folder)
    finally:
        os.umask(before)
    first = {name: (folder / name).read_bytes() for name in (HOST_AUTHORITY, MUNGE_KEY, PASSWORD)}
    ensure_secrets(folder, munge_key=b"another")
    assert {name: (folder / name).read_bytes() for name in (HOST_AUTHORITY, MUNGE_KEY, PASSWORD)} == first
    assert len(first[MUNGE_KEY]) == 1024 and len(first[PASSWORD].strip()) == 43
    assert first[HOST_AUTHORITY].startswith(b"-----BEGIN OPENSSH PRIVATE KEY-----")
    assert mode(folder) == 0o700 and {mode(folder / name) for name in first} == {0o600}
    assert sorted(path.name for path in folder.iterdir()) == sorted(first)


def test_a_key_in_use_is_adopted(tmp_path: Path) -> None:
    ensure_secrets(tmp_path, munge_key=b"k" * 32)
    assert (tmp_path / MUNGE_KEY).read_bytes() == b"k" * 32


def test_rights_that_are_too_wide_are_taken_back(tmp_path: Path) -> None:
    (tmp_path / PASSWORD).write_text("kept\n")
    (tmp_path / PASSWORD).chmod(0o644)
    ensure_secrets(tmp_path)
    assert (tmp_path / PASSWORD).read_text() == "kept\n" and mode(tmp_path / PASSWORD) == 0o600


def test_processes_that_come_at_once_agree(tmp_path: Path) -> None:
    makers = [
        subprocess.Popen(
            [sys.executable, "-c", MAKER, str(tmp_path)],
            env={"PYTHONPATH": ":".join(sys.path)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    found = {maker.communicate("")[0] for maker in makers}
    assert len(found) == 1 and len(found.pop().split()) == 2
