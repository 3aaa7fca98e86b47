"""What a lab needs of this machine, looked at before anything is made: root, programs, features of the kernel."""

import os
import shutil
from collections.abc import Mapping
from importlib.resources import files

from l0_infra.core.errors import UnsatisfiableError
from l0_infra.core.exec import Command, Runner
from l1_podsys.lab.cgroups import Groups

__all__ = ["check_requirements", "missing_programs"]

PACKAGES: Mapping[str, str] = {
    "systemd-nspawn": "systemd-container",
    "debootstrap": "debootstrap",
    "ip": "iproute2",
    "nft": "nftables",
    "mkfs.ext4": "e2fsprogs",
    "ssh-keygen": "openssh-client",
    "unshare": "util-linux",
    "nsenter": "util-linux",
    "setpriv": "util-linux",
    "flock": "util-linux",
    "mount": "mount",
}
"""Programs, and the Debian packages that bring them."""

PLACES = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

APART = ("unshare", "--mount", "--net", "--pid", "--fork", "--propagation", "private")


def check_requirements(runner: Runner, groups: Groups, *, places: str | None = None) -> None:
    """Raise UnsatisfiableError for the first thing that this machine or this user cannot give."""
    if os.geteuid() != 0:
        raise UnsatisfiableError(
            "ogai lab",
            found=f"user {os.geteuid()}",
            expected="root, who alone may make mounts, networks and machines",
            hint="put `sudo` before it",
        )
    if missing := missing_programs(places):
        packages = dict.fromkeys(PACKAGES[program] for program in missing)
        raise UnsatisfiableError(
            "ogai lab",
            found=f"no {', '.join(missing)} on this machine",
            expected="the programs that hosts are made with",
            hint=f"sudo apt-get install {' '.join(packages)}",
        )
    _check_groups(groups)
    _check_kernel(runner)


def missing_programs(places: str | None = None) -> tuple[str, ...]:
    """Name the programs that are not here."""
    path = f"{os.environ.get('PATH', '')}:{PLACES}" if places is None else places
    return tuple(program for program in PACKAGES if shutil.which(program, path=path) is None)


def _check_groups(groups: Groups) -> None:
    """See that groups can be made where this machine's control groups are mounted."""
    roots = groups.roots()
    refused = [str(root) for root in roots if not os.access(root, os.W_OK)]
    if refused or not roots:
        raise _lacking(
            f"control groups that cannot be written: {', '.join(refused)}" if roots else "no control groups"
        )


def _check_kernel(runner: Runner) -> None:
    script = files(__package__).joinpath("requirements.sh").read_text("utf-8")
    outcome = runner.run(Command(argv=(*APART, "sh", "-s"), stdin=script.encode()))
    if not outcome.ok:
        said = outcome.stderr.strip().splitlines()
        raise _lacking(f"no new namespaces: {said[-1] if said else outcome.describe_end()}")
    if outcome.stdout.strip():
        raise _lacking("; ".join(f"no {line}" for line in outcome.stdout.strip().splitlines()))


def _lacking(found: str) -> UnsatisfiableError:
    return UnsatisfiableError(
        "ogai lab",
        found=found,
        expected="a kernel and the rights for machines of one's own",
        hint="inside a container give it all rights (`--privileged`, and /sys/fs/cgroup writable), or use a machine",
    )
