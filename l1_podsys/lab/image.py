"""The root file system every host of a lab starts from: made once for each Debian release, then kept."""

import contextlib
import fcntl
import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path

from l0_infra.core.exec import Command, Runner
from l1_podsys.lab.documents import LabOs
from l1_podsys.lab.mirror import Mirror

__all__ = ["CODENAMES", "apply_image", "image_name"]

CODENAMES: dict[LabOs, str] = {"debian12": "bookworm", "debian13": "trixie"}

PACKAGES = (
    "ca-certificates",
    "dbus",
    "iproute2",
    "iputils-ping",
    "kmod",
    "libpam-systemd",
    "netbase",
    "nftables",
    "openssh-server",
    "procps",
    "python3",
    "python3-apt",
    "sudo",
    "systemd",
    "systemd-sysv",
)
DEBOOTSTRAP_S = 1800.0

OnStep = Callable[[str], None]


def image_name(os_name: LabOs, mirror: Mirror) -> str:
    """Name an image by everything it is made of, so that what differs lies elsewhere."""
    authorities = (file.read_text() for file in mirror.authorities)
    parts = [_recipe(), *PACKAGES, mirror.archive, mirror.security, *mirror.settings, *authorities]
    digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()
    return f"{os_name}-{digest[:12]}"


def apply_image(runner: Runner, os_name: LabOs, mirror: Mirror, *, cache: Path, on_step: OnStep) -> Path:
    """Return the image's folder, made when it is not in the cache; one that is half made is never seen."""
    image = cache / image_name(os_name, mirror)
    if image.is_dir():
        return image
    cache.mkdir(parents=True, exist_ok=True)
    with _locked(cache / f".{image.name}.lock"):
        if not image.is_dir():
            on_step(f"making the image of {os_name} from {mirror.archive}: a minute or two, once")
            _make(runner, os_name, mirror, image)
    return image


def _make(runner: Runner, os_name: LabOs, mirror: Mirror, image: Path) -> None:
    """Make an image in a folder beside its place, then put it there; what a killed try left is removed first."""
    half = image.with_name(f".{image.name}.half")
    archives = image.parent / "archives"
    shutil.rmtree(half, ignore_errors=True)
    half.mkdir()
    archives.mkdir(exist_ok=True)
    _give_authorities(mirror, half)
    codename = CODENAMES[os_name]
    arguments = (str(half), codename, mirror.archive, mirror.security, ",".join(PACKAGES), str(archives))
    settings = "\n".join(mirror.settings)
    # A mount and a process namespace of its own: whatever ends it, nothing stays mounted and nobody goes on.
    apart = ("unshare", "--mount", "--propagation", "slave", "--pid", "--fork", "--kill-child")
    argv = (*apart, "sh", "-s", "--", *arguments, settings)
    runner.run(Command(argv=argv, stdin=_recipe().encode(), deadline_s=DEBOOTSTRAP_S)).check(
        hint="`ogai lab up --mirror URL` takes packages from elsewhere"
    )
    half.rename(image)


def _give_authorities(mirror: Mirror, root: Path) -> None:
    """Lay certificates trusted here where the image's own update-ca-certificates looks for them."""
    folder = root / "usr/local/share/ca-certificates"
    if mirror.authorities:
        folder.mkdir(parents=True)
    for file in mirror.authorities:
        shutil.copyfile(file, folder / file.name)


def _recipe() -> str:
    return files(__package__).joinpath("image.sh").read_text("utf-8")


@contextlib.contextmanager
def _locked(file: Path) -> Iterator[None]:
    """Let one process at a time through; the lock goes with its holder, however that ends."""
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
