"""Another machine comes in a node's place: out of work meanwhile, and given back by whatever run finishes it."""

from l0_infra import OnProgress
from l0_infra.core.errors import UsageError
from l0_infra.core.exec import Secret
from l1_podsys import GATE, cluster_members, controller_name, with_address
from ogai.flows.cluster.brought import Brought
from ogai.flows.cluster.gate import Gate, gate
from ogai.flows.cluster.host_keys import AcceptKey, meet_machine
from ogai.flows.cluster.membership import with_edits
from ogai.flows.cluster.out_of_work import REMOVAL, drainer_for, forget_in_scheduler
from ogai.flows.cluster.prepare import Prepared
from ogai.flows.cluster.roles import Roles, load_all_roles
from ogai.flows.cluster.survey import OnNode
from ogai.flows.cluster.up import Agree, bring_up, checked
from ogai.flows.cluster.work import OnWait, Work, wanted_cluster, work_on

__all__ = ["replace"]


def replace(
    node: str,
    *,
    name: str | None = None,
    address: str | None = None,
    password: Secret | None = None,
    roles: Roles | None = None,
    agree: Agree = lambda prepared: None,
    accept_key: AcceptKey = lambda shown: False,
    on_node: OnNode | None = None,
    on_progress: OnProgress = lambda progress: None,
    on_wait: OnWait = lambda text: None,
    check: Gate | None = gate,
    dry_run: bool = False,
) -> Brought:
    """Bring up another machine under the name of one that is gone; what was done on the old one is forgotten.

    A host key that is not known is shown to `accept_key` and remembered when that says so. The node is drained, and
    given back by this run, or by the one that finishes what this one could not; drains of people stay. At another
    address it joins the scheduler as a new node does, and drains go with the old machine. A `dry_run` changes nothing,
    and asks for no key. Raises RemoteError for a key that is not accepted.
    """
    cluster, place = wanted_cluster(None, name)
    if node not in (members := cluster_members(cluster)):
        raise UsageError("node", found=f"`{node}`", expected=f"one node of {', '.join(members)}")
    moved = cluster if address is None else with_address(cluster, node, address)
    with work_on(
        moved, place, "ogai cluster replace", password=password, dry_run=dry_run, on_wait=on_wait
    ) as work:
        if not dry_run:
            meet_machine(work, node, accept_key)

        def agreed(prepared: Prepared) -> None:
            agree(prepared)
            if not dry_run:
                _let_go(work, node, moved=address is not None)

        brought = bring_up(
            work,
            [node],
            anew=[node],
            roles=roles or load_all_roles(),
            agree=agreed,
            on_node=on_node,
            on_progress=on_progress,
            what="replace",
        )
        return with_edits(checked(work, brought, check), place, cluster, moved)


def _let_go(work: Work, node: str, *, moved: bool) -> None:
    """Take the old machine out of work and forget what was done on it; the controller has nobody to say so to."""
    drainer = None if node == controller_name(work.cluster) else drainer_for(work)
    if drainer is not None:
        work.place.save_notes(work.place.load_notes().replacing(node))
        known = [one.name for one in drainer.nodes([node])]
        drainer.drain(known, owner=REMOVAL, reason="another machine takes its place", over=(GATE,))
        if moved:  # the scheduler would go on calling the old machine
            forget_in_scheduler(work, [node])
    work.ledger.forget([node])
