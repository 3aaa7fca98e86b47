"""Groups of an inventory that may be classes of equal nodes: those that tell every compute host from all others."""

from collections.abc import Iterator, Mapping

from l0_infra.core.nodeset import natural_key
from l1_podsys.inventory.listed import Found, ListedHost, Note
from l1_podsys.inventory.words import CLASS, role_of

__all__ = ["classes_by_group"]


def classes_by_group(found: Found) -> tuple[Mapping[str, str], tuple[Note, ...]]:
    """Return the class of each host, and notes on groups that became classes, or nothing."""
    marked = {host.name.text: own for host in found.hosts if (own := _marked(host))}
    others = {
        group
        for host in found.hosts
        for group in host.groups
        if role_of(group) is None and not group.startswith(CLASS)
    }
    if marked or not others:
        return marked, tuple(_unused(found, others))
    compute = [
        host for host in found.hosts if not {"head", "login", "storage"} & {*map(role_of, host.groups)}
    ]
    telling = _telling(compute, others)
    if telling is None:
        return {}, tuple(_unused(found, others))
    names = sorted(set(telling.values()), key=natural_key)
    why = "groups that are no roles and tell the hosts apart: they become classes of nodes"
    return telling, (
        Note(where=found.source, what=", ".join(f"`{name}`" for name in names), why=why),
        *_unused(found, others - set(names)),
    )


def _marked(host: ListedHost) -> str | None:
    return next((group.removeprefix(CLASS) for group in host.groups if group.startswith(CLASS)), None)


def _telling(hosts: list[ListedHost], groups: set[str]) -> Mapping[str, str] | None:
    """Find one group of each host, when groups together hold each host once, or one group holds them all."""
    sizes = {group: sum(group in host.groups for host in hosts) for group in groups}
    useful = {group for group, size in sizes.items() if 0 < size < len(hosts)}
    if not useful and len(whole := [group for group, size in sizes.items() if size == len(hosts)]) == 1:
        useful = {*whole}
    own = {host.name.text: [group for group in host.groups if group in useful] for host in hosts}
    if not own or any(len(names) != 1 for names in own.values()):
        return None
    return {host: names[0] for host, names in own.items()}


def _unused(found: Found, groups: set[str]) -> Iterator[Note]:
    lines = {group: host.name.line for host in reversed(found.hosts) for group in host.groups}
    for group in sorted(groups, key=natural_key):
        count = sum(group in host.groups for host in found.hosts)
        hosts = f"{count} host{'s' * (count != 1)}"
        why = "the group is neither a role nor does it tell classes apart"
        yield Note(
            where=f"{found.source}:{lines[group]}",
            what=f"`{group}` ({hosts})",
            why=why,
        )
