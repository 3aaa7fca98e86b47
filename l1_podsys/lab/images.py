"""The cache of images: who starts from which, and those nobody needs any more go.

Labs of several OGAI_HOMEs share a cache, so a lab leaves a word there with the image that it starts from. A lab that
somebody else's older ogai made is known by its mounts.
"""

import contextlib
import hashlib
import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from l1_podsys.lab.documents import Lab
from l1_podsys.lab.held import locked
from l1_podsys.lab.image import CODENAMES

__all__ = ["probe_mounts", "prune_archives", "prune_images", "use_image"]

USES = ".uses"
GONE = ".gone"
FRESH_S = 3600.0
"""How long a lab may take from choosing its image to being written down."""

KEPT_S = 30 * 86400.0
"""How long a package is kept that an image was made of, as long as one that hosts fetched."""

LOWER = re.compile(r"\blowerdir=([^,\s]+)")


def use_image(cache: Path, image: Path, state: Path) -> bool:
    """Note that the lab whose state lies there starts from an image; False when that is not there any more."""
    with locked(cache, make=True):
        if not image.is_dir():
            return False
        uses = cache / USES / image.name
        uses.mkdir(parents=True, exist_ok=True)
        (uses / hashlib.sha256(str(state).encode()).hexdigest()[:16]).write_text(str(state))
        _last(cache, image).touch()
    return True


def prune_images(cache: Path, mounts: str) -> tuple[str, ...]:
    """Remove the images that no lab starts from, but the last used of each release; return their names.

    `mounts` are those of all processes, as in /proc/PID/mountinfo.
    """
    with locked(cache, make=True):
        mounted = {Path(_plain(text)) for found in LOWER.findall(mounts) for text in found.split(":")}
        kept = {image for os_name in CODENAMES for image in _images(cache, os_name)[:1]}
        images = [image for os_name in CODENAMES for image in _images(cache, os_name)]
        old = [image for image in images if image not in kept | mounted and not _in_use(cache, image)]
        for image in old:  # what is half removed is no image
            image.rename(cache / f".{image.name}{GONE}")
            shutil.rmtree(cache / USES / image.name, ignore_errors=True)
            _last(cache, image).unlink(missing_ok=True)
    for path in cache.glob(f".*{GONE}"):
        shutil.rmtree(path, ignore_errors=True)
    return tuple(image.name for image in old)


def prune_archives(cache: Path, now: float) -> None:
    """Remove packages that images were made of when nothing fetched them anew in a long time."""
    for file in (cache / "archives").glob("*.deb"):
        with contextlib.suppress(FileNotFoundError):
            if now - file.stat().st_ctime > KEPT_S:  # its other times are those of the archive
                file.unlink()


def probe_mounts(processes: Path = Path("/proc")) -> str:
    """Read the mounts of all processes, of each mount namespace once."""
    seen: dict[str, str] = {}
    for process in processes.glob("[0-9]*"):
        with contextlib.suppress(OSError):
            namespace = str((process / "ns/mnt").readlink())
            if namespace not in seen:
                seen[namespace] = (process / "mountinfo").read_text(errors="replace")
    return "".join(seen.values())


def _images(cache: Path, os_name: str) -> list[Path]:
    """List the images of a release, the last used first."""
    found = [path for path in cache.glob(f"{os_name}-*") if path.is_dir()]
    return sorted(found, key=lambda image: -_used_at(cache, image))


def _used_at(cache: Path, image: Path) -> float:
    last = _last(cache, image)
    return (last if last.exists() else image).stat().st_mtime


def _last(cache: Path, image: Path) -> Path:
    """Name the file whose time is that of the image's last use; an image itself is never written."""
    return cache / USES / f"{image.name}.last"


def _in_use(cache: Path, image: Path) -> bool:
    return any(list(_live(cache / USES / image.name, image)))


def _live(uses: Path, image: Path) -> Iterator[bool]:
    """Say of each lab that noted the image whether it still starts from it; words of labs that are gone go."""
    for word in uses.glob("*"):
        state = Path(word.read_text())
        if _starts_from(state, image) or (_age(word) < FRESH_S and not state.exists()):
            yield True
        else:
            word.unlink()


def _starts_from(state: Path, image: Path) -> bool:
    try:
        return msgspec.json.decode(state.read_bytes(), type=Lab).image == str(image)
    except FileNotFoundError:
        return False
    except (OSError, msgspec.MsgspecError):
        return True  # what cannot be read may be a lab of another version


def _age(path: Path) -> float:
    return time.time() - path.stat().st_mtime


def _plain(text: str) -> str:
    """Undo how the kernel writes what would divide its words (proc(5): octal escapes)."""
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), text)
