"""The secrets of a cluster: made once, kept in files that only this user can read; a munge key in use is adopted."""

import hashlib
import os
import secrets as random
from pathlib import Path

import msgspec

from l0_infra.core.errors import RemoteError
from l0_infra.core.exec import Runner
from l0_infra.core.store import save_file
from l1_podsys import MUNGE_KEY, PASSWORD

__all__ = ["ensure_secrets", "secret_digest"]

KEY_BYTES = 1024
KEY_ON_NODE = "/etc/munge/munge.key"


def ensure_secrets(folder: Path, controller: Runner | None, *, sudo: bool) -> None:
    """Make what is missing; the munge key of the controller, if it has one, becomes the cluster's."""
    if not (folder / MUNGE_KEY).exists():
        key = _munge_key(controller, sudo=sudo) if controller is not None else None
        save_file(folder / MUNGE_KEY, key or os.urandom(KEY_BYTES), mode=0o600)
    if not (folder / PASSWORD).exists():
        save_file(folder / PASSWORD, f"{random.token_urlsafe(32)}\n".encode(), mode=0o600)


def secret_digest(folder: Path, variables: dict[str, str]) -> str:
    """Return a digest of the secret files that variables name, so that a changed secret is a changed role."""
    digest = hashlib.sha256()
    paths = (msgspec.json.decode(text) for name, text in variables.items() if name.endswith("_file"))
    for path in paths:
        if isinstance(path, str) and Path(path).parent == folder and Path(path).exists():
            digest.update(Path(path).read_bytes())
    return digest.hexdigest()


def _munge_key(controller: Runner, *, sudo: bool) -> bytes | None:
    try:
        return controller.get(KEY_ON_NODE, limit_bytes=64 * 1024, sudo=sudo) or None
    except RemoteError:
        return None
