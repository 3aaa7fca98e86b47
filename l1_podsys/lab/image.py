"""The root file system every host of a lab starts from: made once for each Debian release, then kept."""

import hashlib
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

from l0_infra.core.exec import Command, Runner
from l1_podsys.lab.documents import LabOs
from l1_podsys.lab.mirror import Mirror

__all__ = ["CODENAMES", "apply_image", "image_command", "image_name"]

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
    """Return the image's folder, made when it is not in the cache; one that is half made is never seen.

    Raises RemoteError with debootstrap's last lines.
    """
    image = cache / image_name(os_name, mirror)
    if not image.is_dir():
        on_step(f"making the image of {os_name} from {mirror.archive}: a minute or two, once")
        cache.mkdir(parents=True, exist_ok=True)
        runner.run(image_command(os_name, mirror, image)).check(
            hint="`ogai lab up --mirror URL` takes packages from elsewhere"
        )
    return image


def image_command(os_name: LabOs, mirror: Mirror, image: Path) -> Command:
    """Write the command that makes an image and publishes it, one at a time.

    The lock goes with the last of its processes. Mounts and processes are in namespaces of their own: whatever ends it,
    nothing stays mounted and nobody goes on.
    """
    lock = str(image.with_name(f".{image.name}.lock"))
    apart = ("unshare", "--mount", "--propagation", "slave", "--pid", "--fork", "--kill-child")
    arguments = (
        str(image),
        CODENAMES[os_name],
        mirror.archive,
        mirror.security,
        ",".join(PACKAGES),
        "\n".join(mirror.settings),
        *map(str, mirror.authorities),
    )
    argv = ("flock", lock, *apart, "sh", "-s", "--", *arguments)
    return Command(argv=argv, stdin=_recipe().encode(), deadline_s=DEBOOTSTRAP_S)


def _recipe() -> str:
    return files(__package__).joinpath("image.sh").read_text("utf-8")
