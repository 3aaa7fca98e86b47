"""Bring a cluster up, or as much of it as is named: look, plan, ask, carry out, look again, check."""

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from time import time

import msgspec

from l0_infra import OnProgress
from l0_infra.core.exec import Secret
from l1_podsys import verdict
from l1_podsys.schemas import Health
from ogai.flows.cluster.brought import Brought
from ogai.flows.cluster.carry import SILENCE_S, carry_out, need_ansible, not_done
from ogai.flows.cluster.gate import Gate, gate
from ogai.flows.cluster.out_of_work import give_back_replaced
from ogai.flows.cluster.prepare import Prepared, prepare, settle
from ogai.flows.cluster.roles import Roles, load_all_roles
from ogai.flows.cluster.survey import OnNode
from ogai.flows.cluster.work import OnWait, Work, refuse_missing, wanted_cluster, work_on
from ogai.flows.node.targets import targets_of_cluster

__all__ = ["Agree", "bring_up", "checked", "up"]

Agree = Callable[[Prepared], None]
"""Called with what would be done, before anything is; raises when it shall not be."""


def up(
    file: str | Path | None = None,
    *,
    name: str | None = None,
    limit: str | None = None,
    full: bool = False,
    password: Secret | None = None,
    silence_s: float = SILENCE_S,
    roles: Roles | None = None,
    agree: Agree = lambda prepared: None,
    on_node: OnNode | None = None,
    on_progress: OnProgress = lambda progress: None,
    on_wait: OnWait = lambda text: None,
    check: Gate | None = gate,
    dry_run: bool = False,
) -> Brought:
    """Make a cluster as its document says; `limit` names the nodes meant, and the controller is always among them.

    What holds already is passed over, unless `full`. One node that fails stops itself and what waits for it. A
    `dry_run` changes nothing, not even here: what would be done counts as held. Raises DocumentError and UsageError
    for what is meant badly, UnsatisfiableError for nodes of another cluster, EngineError when somebody else is at work
    on this one.
    """
    cluster, place = wanted_cluster(None if file is None else Path(file), name)

    def agreed(prepared: Prepared) -> None:
        agree(prepared)
        if file is not None and not dry_run and Path(file).is_file():  # the name of a cluster is no file
            place.save_notes(place.load_notes().from_file(Path(file)))

    names = [str(target.name) for target in targets_of_cluster(cluster, limit)]
    with work_on(
        cluster, place, "ogai cluster up", password=password, dry_run=dry_run, on_wait=on_wait
    ) as work:
        brought = bring_up(
            work,
            names,
            full=full,
            silence_s=silence_s,
            roles=roles or load_all_roles(),
            agree=agreed,
            on_node=on_node,
            on_progress=on_progress,
        )
        return checked(work, brought, check)


def bring_up(
    work: Work,
    names: Sequence[str],
    *,
    full: bool = False,
    silence_s: float = SILENCE_S,
    roles: Roles,
    agree: Agree,
    on_node: OnNode | None,
    on_progress: OnProgress,
    what: str = "up",
    anew: Collection[str] = (),
) -> Brought:
    """Bring nodes of a cluster up that is at work on; what was done on those of `anew` counts for nothing."""
    prepared = prepare(
        work.cluster,
        work.place,
        names,
        work.nodes,
        work.ledger,
        roles=roles,
        sudo=work.sudo,
        full=full,
        anew=anew,
        on_node=on_node,
    )
    refuse_missing(work)
    if work.dry_run:
        agree(prepared)
        return not_done(prepared)
    need_ansible(prepared)
    agree(prepared)
    brought = carry_out(
        settle(prepared, work.nodes, sudo=work.sudo),
        work.nodes,
        work.ledger,
        what,
        sudo=work.sudo,
        password=work.password,
        silence_s=silence_s,
        on_progress=on_progress,
    )
    _note_lost(work, prepared.lost)
    give_back_replaced(work, ready_of(brought))
    return brought


def _note_lost(work: Work, lost: Mapping[str, str]) -> None:
    """Keep which nodes could not be reached, as a check does, so that nobody takes them for well."""
    if lost:
        verdicts = tuple(verdict(name, "node.reachable", "critical", why) for name, why in lost.items())
        found = Health(cluster=work.cluster.name, level="quick", checked_at=time(), verdicts=verdicts)
        work.place.save_health(found, list(lost))


def checked(work: Work, brought: Brought, check: Gate | None) -> Brought:
    """Check the nodes that are ready, and keep the verdicts with the result."""
    if work.dry_run:
        return brought
    return (
        brought if check is None else msgspec.structs.replace(brought, health=check(work, ready_of(brought)))
    )


def ready_of(brought: Brought) -> list[str]:
    """Name the nodes that are ready."""
    return [node.name for node in brought.nodes if node.state == "ready"]
