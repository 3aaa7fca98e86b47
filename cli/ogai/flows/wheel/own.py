"""The wheel of the ogai that runs here, kept under the hash of its content.

It is packed from the packages as they are imported, so that it needs no network and no build backend, and an installed
ogai, one that is edited in place and a mere checkout are all packed alike.
"""

import contextlib
import shutil
from importlib.resources import files
from pathlib import Path

from l0_infra.core.errors import MachineError, describe_os_error
from l0_infra.core.store import save_file
from ogai.flows.wheel.metadata import About, about_checkout, about_installed
from ogai.flows.wheel.pack import content_digest, pack_wheel, wheel_name
from ogai.version import __version__

__all__ = ["own_wheel", "planned_wheel"]

PACKAGES = ("l0_infra", "l1_podsys", "l2_scheduler", "l3_modeltools", "l4_multimodel", "ogai")
DIGITS = 16
KEPT = 3
"""How many wheels stay in the cache: a run that began before the code changed still wants its own."""


def planned_wheel(home: Path) -> Path:
    """Return where `own_wheel` has or would have the wheel; nothing is written.

    Raises MachineError where nothing says what ogai needs.
    """
    wheel, _, _ = _contents(home)
    return wheel


def own_wheel(home: Path) -> Path:
    """Return the wheel, below `home`, packed unless it is there; the same code is the same path and the same bytes.

    Raises MachineError where it cannot be written, or where nothing says what ogai needs.
    """
    wheel, content, place = _contents(home)
    if not wheel.exists():
        _keep(wheel, pack_wheel(content, place))
        _prune(wheel.parents[1], wheel.parent)
    return wheel


def _contents(home: Path) -> tuple[Path, dict[str, bytes], str]:
    """Return where the wheel lies, what is in it, and which folder of it tells of the rest."""
    folders = {name: Path(str(files(name))) for name in PACKAGES}
    version, about = _about(folders)
    place = f"ogai-{version}.dist-info"
    content = {
        **{f"{name}/{path}": code for name, folder in folders.items() for path, code in _code(folder)},
        **{f"{place}/{name}": text for name, text in about.items()},
    }
    folder = home / "cache" / "wheels" / content_digest(content)[:DIGITS]
    return folder / wheel_name("ogai", version), content, place


def _about(folders: dict[str, Path]) -> tuple[str, About]:
    checkout = about_checkout(folders["l0_infra"].parent, __version__)
    return about_installed() if checkout is None else (__version__, checkout)


def _code(folder: Path) -> list[tuple[str, bytes]]:
    """Read all files of a package but what Python and editors leave there."""
    return [
        (path.relative_to(folder).as_posix(), path.read_bytes())
        for path in folder.rglob("*")
        if path.is_file()
        and not any(part.startswith((".", "__pycache__")) for part in path.relative_to(folder).parts)
    ]


def _keep(wheel: Path, content: bytes) -> None:
    try:
        wheel.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        save_file(wheel, content, durable=False)
    except OSError as error:
        raise MachineError(
            str(wheel), found=describe_os_error(error), expected="a file that can be written"
        ) from error


def _prune(cache: Path, newest: Path) -> None:
    """Remove all wheels but the newest; one that somebody else removes meanwhile is gone as well."""
    ages: dict[Path, float] = {}
    for folder in cache.iterdir():
        with contextlib.suppress(FileNotFoundError):
            ages[folder] = folder.stat().st_mtime
    ordered = sorted(ages, key=lambda folder: (folder != newest, -ages[folder]))
    for folder in ordered[KEPT:]:
        shutil.rmtree(folder, ignore_errors=True)
