"""A first cluster document from a few answers, short and with comments."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from l0_infra.core.documents import render_brief
from l0_infra.core.nodeset import fold_in_order, natural_key
from l0_infra.schemas import NodeFacts
from l1_podsys.propose.classes import propose_classes
from l1_podsys.propose.networks import propose_networks
from l1_podsys.schemas import Cluster, NodeGroup, Ssh, Storage, User

__all__ = ["ClusterAnswers", "propose_cluster", "render_proposed"]

COMMENTS: Mapping[str, str] = {
    "nodes": "Nodes, in groups of like ones. Those of a node_class are compared with each other when they are checked.",
    "ssh": "How ogai reaches them; what is not said here is left to ~/.ssh/config.",
    "networks": "Networks by their purpose: the checks look whether they are what is used.",
    "storage": "What all nodes share. The first carries home folders and what ogai installs.",
    "users": "Accounts on every node, with the same number everywhere. They log in by their public_keys.",
}
HEAD = """\
Bring it up, and again after any change: ogai cluster up FILE
Everything else has a default: ogai schema example cluster
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class ClusterAnswers:
    """What a person says of a cluster to be."""

    name: str
    hosts: Sequence[str]
    head: str
    addresses: Mapping[str, str] = field(default_factory=dict)
    head_computes: bool = True
    ssh: Ssh = field(default_factory=Ssh)
    storage: Storage | None = None
    users: Sequence[User] = ()


def propose_cluster(answers: ClusterAnswers, facts: Mapping[str, NodeFacts]) -> Cluster:
    """Make a cluster of answers and of what was found; a node of which nothing is known is of the class `default`."""
    classes = propose_classes(facts)
    return Cluster(
        name=answers.name,
        nodes=tuple(_groups(answers, classes)),
        ssh=answers.ssh,
        networks=propose_networks(list(facts.values()), answers.addresses.values()),
        storage=() if answers.storage is None else (answers.storage,),
        users=tuple(answers.users),
    )


def render_proposed(cluster: Cluster) -> str:
    """Write it as a person would, a sentence above each part."""
    above = "".join(f"# {line}\n" for line in HEAD.splitlines())
    return above + render_brief(cluster, COMMENTS)


def _groups(answers: ClusterAnswers, classes: Mapping[str, str]) -> list[NodeGroup]:
    served = answers.storage.server_node if answers.storage else None
    kinds: dict[tuple[tuple[str, ...], str, bool], list[str]] = {}
    for name in sorted(answers.hosts, key=lambda one: (one != answers.head, natural_key(one))):
        roles = [
            *(["head", "login"] if name == answers.head else []),
            *(["storage"] if name == served else []),
            *(["compute"] if name != answers.head or answers.head_computes else []),
        ]
        kind = (tuple(roles), classes.get(name, "default"), name in answers.addresses)
        kinds.setdefault(kind, []).append(name)
    return [
        NodeGroup(
            names=fold_in_order(names),
            roles=roles,  # type: ignore[arg-type]  # some of its words
            node_class=node_class,
            addresses=fold_in_order([answers.addresses[name] for name in names]) if known else None,
        )
        for (roles, node_class, known), names in kinds.items()
    ]
