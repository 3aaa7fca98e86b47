"""Whether what a node needs runs there, and whether names mean what they should."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from l1_podsys.gates.addresses import same_address
from l1_podsys.gates.catalogue import CHECKS, verdict
from l1_podsys.gates.look import Look
from l1_podsys.gates.view import Member
from l1_podsys.schemas import Cluster, Verdict

__all__ = ["judge_names", "judge_services", "services_of"]

HARMLESS = ("systemd-networkd-wait-online", "logrotate", "man-db", "apt-daily", "fwupd", "motd-news")
"""Units that fail on many sound nodes and that no work needs."""


def services_of(cluster: Cluster, member: Member, *, controller: bool) -> tuple[str, ...]:
    """List the services that a node needs for what it is."""
    if cluster.scheduler.engine != "slurm":
        return ()
    needed = ["munge"]
    if controller:
        needed.append("slurmctld")
        if cluster.scheduler.accounting:
            needed.append("slurmdbd")
    if "compute" in member.roles:
        needed.append("slurmd")
    return tuple(needed)


def judge_services(node: str, services: Sequence[str], look: Look) -> Iterator[Verdict]:
    """Judge services that must be active, and name any other that has failed."""
    if look.lines("failed") is None:
        yield verdict(node, "service.active", "unknown", "systemd was not asked")
        return
    states = {name: " ".join(look.lines(f"service {name}") or ()) or "unknown" for name in services}
    bad = {name: state for name, state in states.items() if state != "active"}
    failed = [
        unit
        for unit in look.lines("failed") or ()
        if not unit.startswith(HARMLESS) and unit.removesuffix(".service") not in bad
    ]
    if bad:
        words = ", ".join(f"{name} is {state}" for name, state in bad.items())
        first = next(iter(bad))
        hint = f"systemctl status {first}; journalctl -u {first} -b"
        yield verdict(node, "service.active", "critical", words, hint=hint)
    elif failed:
        yield verdict(
            node, "service.active", "warning", f"failed: {', '.join(failed)}", expected="no failed unit"
        )
    else:
        yield verdict(node, "service.active", "ok", ", ".join(services) or "no failed unit")


def judge_names(node: str, wanted: Mapping[str, Collection[str]], look: Look) -> Iterator[Verdict]:
    """Judge whether names of nodes mean an address of theirs; `wanted` are those known of each, none: any will do."""
    lost, wrong = list[str](), dict[str, str]()
    for name, addresses in wanted.items():
        found = look.lines(f"name {name}") or ()
        if not found:
            lost.append(name)
        elif addresses and not any(same_address(one, other) for one in found for other in addresses):
            wrong[name] = f"{name} means {', '.join(found)}, not {', '.join(addresses)}"
    if lost or wrong:
        words = "; ".join(_wrong_names(lost, wrong))
        hint = CHECKS["names.resolve"].hint.replace("NAME", (*lost, *wrong)[0])
        yield verdict(node, "names.resolve", "critical", words, hint=hint)
    elif wanted:
        yield verdict(node, "names.resolve", "ok", ", ".join(wanted))


def _wrong_names(lost: Sequence[str], wrong: Mapping[str, str]) -> Iterator[str]:
    """Name one name, and of several say so only: each node tries others, and like faults are to look alike."""
    if lost:
        yield f"{lost[0]} means nothing" if len(lost) == 1 else "names of several nodes mean nothing"
    if wrong:
        several = "names of several nodes mean addresses that are not theirs"
        yield next(iter(wrong.values())) if len(wrong) == 1 else several
