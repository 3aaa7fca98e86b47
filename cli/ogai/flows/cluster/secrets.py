"""The secrets of a cluster: made once, kept in files that only this user can read; a munge key in use is adopted."""

import hashlib
from pathlib import Path

import msgspec

from l0_infra.core.errors import RemoteError
from l0_infra.core.exec import Runner
from l1_podsys import MUNGE_KEY
from l1_podsys import ensure_secrets as make_secrets

__all__ = ["ensure_secrets", "secret_digest"]

KEY_ON_NODE = "/etc/munge/munge.key"


def ensure_secrets(folder: Path, controller: Runner | None, *, sudo: bool) -> None:
    """Make what is missing; the munge key of the controller, if it has one, becomes the cluster's."""
    wanted = controller is not None and not (folder / MUNGE_KEY).exists()
    make_secrets(folder, munge_key=_munge_key(controller, sudo=sudo) if controller and wanted else None)


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
