"""The secrets of a cluster: made once by whoever comes first, in files that only this user can read."""

import base64
import contextlib
import os
from pathlib import Path
from tempfile import TemporaryDirectory

from l0_infra.core.exec import Command, LocalRunner
from l0_infra.core.store import save_file, sync_directory
from l1_podsys.bringup import HOST_AUTHORITY, MUNGE_KEY, PASSWORD

__all__ = ["ensure_secrets"]

KEY_BYTES = 1024
PASSWORD_BYTES = 32


def ensure_secrets(folder: Path, *, munge_key: bytes | None = None) -> None:
    """Make what is missing in `folder`; a munge key that is in use already becomes the cluster's.

    Of several processes one makes a secret, and the others find it. What is there is never made anew; rights that are
    too wide are taken back.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    _narrow(folder, 0o700)
    _make_once(folder / MUNGE_KEY, munge_key or os.urandom(KEY_BYTES))
    _make_once(folder / PASSWORD, base64.urlsafe_b64encode(os.urandom(PASSWORD_BYTES)).rstrip(b"=") + b"\n")
    if not (folder / HOST_AUTHORITY).exists():
        _make_once(folder / HOST_AUTHORITY, _fresh_ssh_key())


def _fresh_ssh_key() -> bytes:
    """Return a new private key without a passphrase."""
    with TemporaryDirectory() as place:
        file = Path(place) / "key"
        argv = ("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "host authority", "-f", str(file))
        LocalRunner().run(Command(argv=argv)).check()
        return file.read_bytes()


def _make_once(path: Path, content: bytes) -> None:
    """Put a whole file in place unless there is one, by a link, which fails where a name is taken."""
    if not path.exists():
        draft = path.with_name(f".{path.name}.{os.getpid()}.{os.urandom(4).hex()}")
        save_file(draft, content, mode=0o600)
        try:
            with contextlib.suppress(FileExistsError):
                os.link(draft, path)
        finally:
            draft.unlink()
        sync_directory(path.parent)
    _narrow(path, 0o600)


def _narrow(path: Path, mode: int) -> None:
    if path.stat().st_mode & 0o777 & ~mode:
        path.chmod(mode)
