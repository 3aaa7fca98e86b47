"""Hosts by name, whichever lab they belong to."""

from l0_infra.core.errors import UsageError
from l0_infra.core.nodeset import expand, fold
from l1_podsys import HostHandle, Lab, LabPlace, load_labs

__all__ = ["find_hosts", "hosts_of"]


def find_hosts(place: LabPlace, nodes: str) -> tuple[HostHandle, ...]:
    """Find hosts by a node set. Raises UsageError for a name that no lab has."""
    known = {at.host.name: at for lab in load_labs(place.home) for at in hosts_of(place, lab)}
    wanted = expand(nodes)
    strangers = [name for name in wanted if name not in known]
    if strangers or not wanted:
        raise UsageError(
            f"node set `{nodes}`",
            found=f"`{fold(strangers)}`, which no lab has" if strangers else "no name",
            expected=f"hosts of {fold(known)}" if known else "a host of a lab",
            hint="" if known else "`ogai lab up` makes one",
        )
    return tuple(known[name] for name in wanted)


def hosts_of(place: LabPlace, lab: Lab) -> tuple[HostHandle, ...]:
    """List the hosts of a lab."""
    layout, groups = place.layout(lab.name), place.groups
    return tuple(
        HostHandle(lab=lab, host=host, layout=layout, groups=groups, runner=place.runner)
        for host in lab.hosts
    )
