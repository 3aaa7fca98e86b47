"""State on disk that survives any kill: OGAI_HOME, whole files, one SQLite file per layer."""

from l0_infra.core.store.database import Database
from l0_infra.core.store.files import append_line, load_file, reserve_room, save_file, sync_directory
from l0_infra.core.store.home import ogai_home, prepare_home
from l0_infra.core.store.mounts import Mount, is_network, mount_of, parse_mounts, read_mounts

__all__ = [
    "Database",
    "Mount",
    "append_line",
    "is_network",
    "load_file",
    "mount_of",
    "ogai_home",
    "parse_mounts",
    "prepare_home",
    "read_mounts",
    "reserve_room",
    "save_file",
    "sync_directory",
]
