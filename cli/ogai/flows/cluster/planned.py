"""The whole plan of a cluster: the base of each node, and above it what makes many nodes one."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from l0_infra import Provisioned, plan_provision, role_key
from l0_infra.schemas import NodeFacts, Plan
from l1_podsys import (
    BringupScene,
    FoundSwitches,
    Trait,
    cluster_members,
    controller_name,
    plan_bringup,
    with_switches,
)
from l1_podsys.schemas import Cluster
from ogai.flows.cluster.place import ClusterPlace
from ogai.flows.cluster.roles import Roles
from ogai.flows.cluster.secrets import SecretDigests

__all__ = ["plan_cluster"]

FIRST = ("member",)
"""Roles that come before the base of a node: whose it is must be said before anything is changed."""


def plan_cluster(
    cluster: Cluster,
    place: ClusterPlace,
    names: Sequence[str],
    roles: Roles,
    facts: Mapping[str, NodeFacts],
    traits: Mapping[str, Trait],
    *,
    identity: str,
    wheel: Path | None = None,
    switches: FoundSwitches | None = None,
) -> Plan:
    """Plan all roles for these nodes, from what was found of them now and of all nodes ever; `wheel` is ogai.

    `switches` are those found, where the document leaves them to be found.
    """
    sheets = roles.by_name
    secrets = SecretDigests(place.secrets)

    def key_of(node: str, role: str, variables: Mapping[str, str]) -> str:
        return role_key(node, sheets[role].sha256 + secrets.of(variables), variables)

    scene = BringupScene(
        cluster=with_switches(cluster, switches),
        members=cluster_members(cluster),
        controller=controller_name(cluster),
        roles=[sheet.role for sheet in roles.bringup],
        key_of=key_of,
        secrets=secrets.folder,
        wheel=wheel,
        identity=identity,
        facts=facts,
        traits=traits,
    )
    wish = Provisioned(
        lead=scene.controller,
        lead_address=scene.address(scene.controller),
        time=cluster.time,
        tuning=cluster.tuning,
        packages=cluster.packages,
        unsteered=frozenset(name for name, trait in traits.items() if trait.container),
        most_files={name: trait.open_files for name, trait in traits.items() if trait.open_files is not None},
    )
    first = [name for name in FIRST if name in sheets and identity]
    base = plan_provision(names, wish, roles.provision, first=first)
    above = plan_bringup(scene, names, others={step.id.partition(":")[2] for step in base.steps})
    return Plan(title=above.title, steps=(*base.steps, *above.steps))
