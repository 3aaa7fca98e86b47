"""Read the roles of a folder: each one's sheet, its defaults, its handlers, and a hash of all that it does."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec

from l0_infra.core.documents import read_document
from l0_infra.core.errors import EngineError
from l0_infra.schemas import Role

__all__ = ["RoleSheet", "load_roles", "role_folder"]

LEFT_OUT = frozenset({"README.md", "__pycache__"})
"""What lies in a role's folder and changes nothing on a node."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RoleSheet:
    """A role and what its folder says; `defaults` are JSON texts by the variables' names."""

    role: Role
    folder: Path
    sha256: str
    defaults: Mapping[str, str] = field(default_factory=dict)
    handlers: tuple[str, ...] = ()


def role_folder(package: str) -> Path:
    """Name the folder of the roles that a package ships."""
    return Path(str(files(package))) / "ansible" / "roles"


def load_roles(folder: Path) -> tuple[RoleSheet, ...]:
    """Read every role that has a sheet (`meta/ogai.yml`), by name.

    Raises DocumentError for a bad sheet, EngineError for one whose name is not its folder's.
    """
    return tuple(_load(sheet.parent.parent) for sheet in sorted(folder.glob("*/meta/ogai.yml")))


def _load(folder: Path) -> RoleSheet:
    sheet = folder / "meta" / "ogai.yml"
    role = read_document(sheet, expect=Role)
    if role.name != folder.name:
        raise EngineError(
            str(sheet), found=f"the name `{role.name}`", expected=f"`{folder.name}`, as its folder"
        )
    defaults = _yaml(folder / "defaults" / "main.yml") or {}
    return RoleSheet(
        role=role,
        folder=folder,
        sha256=_hash(folder),
        defaults={name: msgspec.json.encode(value).decode() for name, value in defaults.items()},
        handlers=tuple(_handlers(_yaml(folder / "handlers" / "main.yml") or [])),
    )


def _yaml(path: Path) -> Any:
    import yaml

    return yaml.safe_load(path.read_text("utf-8")) if path.exists() else None


def _handlers(tasks: list[dict[str, Any]]) -> Iterator[str]:
    """Yield each handler's name; a handler that only listens is called by what it listens to."""
    for task in tasks:
        listens = task.get("listen")
        if name := task.get("name") or (listens if isinstance(listens, str) else ""):
            yield str(name)


def _hash(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        if path.is_file() and not LEFT_OUT.intersection(name.parts) and not path.name.startswith("."):
            content = path.read_bytes()
            digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()
