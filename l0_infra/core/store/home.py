"""Where state lives: OGAI_HOME, checked before anything is written to it."""

import os
from collections.abc import Mapping
from pathlib import Path

from l0_infra.core.errors import EngineError, describe_os_error
from l0_infra.core.store.mounts import Mount, is_network, mount_of, read_mounts

__all__ = ["ogai_home", "prepare_home"]

MEND = "choose a folder on a local disk: export OGAI_HOME=/var/tmp/$USER/ogai"


def ogai_home(environment: Mapping[str, str]) -> Path:
    """Name the state folder: `OGAI_HOME`, else the platform's folder for user data.

    Raises EngineError for a user who has no folder of their own, as in some containers.
    """
    chosen = environment.get("OGAI_HOME", "")
    try:
        if chosen:
            return Path(chosen).expanduser().absolute()
        import platformdirs

        return Path(platformdirs.user_data_dir("ogai"))
    except RuntimeError as error:
        raise refusal(Path(chosen), "a user without a home folder") from error


def prepare_home(home: Path, mounts: tuple[Mount, ...] | None = None) -> Path:
    """Make the folder (mode 0700) and return it.

    Raises EngineError when it lies on a network or read-only file system, or cannot be written.
    """
    try:
        str(home).encode()
    except UnicodeEncodeError:
        raise refusal(home, "a name that is not UTF-8") from None
    mount = mount_of(home, read_mounts() if mounts is None else mounts)
    if mount is not None and is_network(mount):
        raise refusal(home, f"a network file system ({mount.type} from {mount.source})")
    if mount is not None and mount.read_only:
        raise refusal(home, f"a read-only file system ({mount.type} at {mount.point})")
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise refusal(home, f"{describe_os_error(error)} at {error.filename}") from error
    if not os.access(home, os.W_OK | os.X_OK):
        raise refusal(home, "a folder this user may not write")
    return home


def refusal(home: Path, found: str) -> EngineError:
    return EngineError(
        f"OGAI_HOME={home}", found=found, expected="a writable folder on a local disk", hint=MEND
    )
