"""What a version of Slurm can do, where its versions differ in what we need; pure.

Tried on Debian's Slurm 22.05.8 and 24.11.5. Versions between them are taken for the older, and so is one not known.
"""

import re
from collections.abc import Mapping

from l0_infra.schemas import OperatingSystem

__all__ = ["Version", "cgroups_can_be_off", "nodes_join", "slurm_version"]

Version = tuple[int, int]

DISTRIBUTED: Mapping[tuple[str, str], Version] = {
    ("debian", "12"): (22, 5),
    ("debian", "13"): (24, 11),
    ("ubuntu", "22.04"): (21, 8),
    ("ubuntu", "24.04"): (23, 11),
}


def slurm_version(system: OperatingSystem, wanted: str | None = None) -> Version | None:
    """Tell which version a node gets: the one wished, else its distribution's; None when that is not known."""
    found = re.match(r"(\d+)\.(\d+)", wanted or "")
    if found is not None:
        return int(found[1]), int(found[2])
    return DISTRIBUTED.get((system.id or "", system.version or ""))


def nodes_join(version: Version | None) -> bool:
    """Whether nodes join by registering (`slurmd -Z`), so that no file lists them.

    22.05 knows that, too, but not well enough. After `scontrol reconfigure`, which any administrator may call, what
    runs on such nodes has lost them: they stay allocated when it has ended, until slurmctld is restarted. And with
    topology/tree they have no switch: work on two of them is refused as `Requested node configuration is not
    available`.
    """
    return version is not None and version >= (24, 11)


def cgroups_can_be_off(version: Version | None) -> bool:
    """Whether `CgroupPlugin=disabled` is known; 22.05's slurmd ends when it reads it."""
    return version is not None and version >= (24, 11)
