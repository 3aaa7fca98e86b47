"""The secrets of a cluster: made once, kept in files that only this user can read; a munge key in use is adopted."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

from l0_infra.core.errors import RemoteError
from l0_infra.core.exec import Command, LocalRunner, Runner
from l1_podsys import HOST_AUTHORITY, MUNGE_KEY
from l1_podsys import ensure_secrets as make_secrets

__all__ = ["SecretDigests", "ensure_secrets"]

KEY_ON_NODE = "/etc/munge/munge.key"


def ensure_secrets(folder: Path, controller: Runner | None, *, sudo: bool) -> None:
    """Make what is missing; the munge key of the controller, if it has one, becomes the cluster's."""
    wanted = controller is not None and not (folder / MUNGE_KEY).exists()
    make_secrets(folder, munge_key=_munge_key(controller, sudo=sudo) if controller and wanted else None)
    _make_host_authority(folder / HOST_AUTHORITY)


def _make_host_authority(file: Path) -> None:
    """Make the pair of keys that vouches for host keys; a half that a killed run left is made anew."""
    if not file.with_name(f"{file.name}.pub").exists():
        file.unlink(missing_ok=True)
        argv = ("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "host authority", "-f", str(file))
        LocalRunner().run(Command(argv=argv)).check()


class SecretDigests:
    """Digests of the secret files that variables name, so that a changed secret is a changed role; each read once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        files = sorted(folder.iterdir()) if folder.is_dir() else ()
        self._digests = {f'"{path}"': hashlib.sha256(path.read_bytes()).hexdigest() for path in files}

    def of(self, variables: Mapping[str, str]) -> str:
        """Return the digests of those that are named, each in a variable that is the file's path."""
        texts = (text for name, text in variables.items() if name.endswith("_file"))
        return "".join(self._digests.get(text, "") for text in texts)


def _munge_key(controller: Runner, *, sudo: bool) -> bytes | None:
    try:
        return controller.get(KEY_ON_NODE, limit_bytes=64 * 1024, sudo=sudo) or None
    except RemoteError:
        return None
