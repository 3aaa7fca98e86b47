"""A first cluster document: from a few answers, with what a look at the hosts proposes."""

import getpass
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from l0_infra.core.documents import parse_document
from l0_infra.core.errors import UsageError
from l0_infra.core.nodeset import expand
from l0_infra.schemas import NodeFacts
from l1_podsys import ClusterAnswers, propose_cluster, render_proposed
from l1_podsys.schemas import Cluster, Ssh, Storage, User
from ogai.flows.node.lost import lost_of
from ogai.flows.node.survey import OnLooked, survey
from ogai.flows.node.targets import targets_of_cluster

__all__ = ["Described", "Wished", "describe", "offered", "parse_storage"]

FIRST_UID = 2001
MOUNTPOINT = "/shared"
FEW = 8
"""A cluster of so many nodes lets its head compute too, unless it is told otherwise."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Wished:
    """What a person was asked; texts as they are typed, None where nothing was answered."""

    name: str = "pod1"
    hosts: str
    addresses: str | None = None
    head: str | None = None
    head_computes: bool | None = None
    ssh_user: str | None = None
    ssh_key: str | None = None
    ssh_known_hosts: str | None = None
    storage: str | None = None
    users: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Described:
    """A cluster document, and why some hosts could not be looked at."""

    cluster: Cluster
    document: str
    looked_at: int
    lost: Mapping[str, str]


def offered(hosts: str) -> Wished:
    """Offer answers to what is asked after the hosts."""
    names = expand(hosts)
    called = [
        name for name in names if name.rstrip("0123456789").rstrip("-") in ("head", "master", "mgmt", "login")
    ]
    head = (called or names or ("",))[0]
    return Wished(
        hosts=hosts,
        head=head,
        head_computes=len(names) <= FEW,
        ssh_user=None,
        storage=f"{head}:/srv/shared",
        users="" if getpass.getuser() == "root" else getpass.getuser(),
    )


def describe(
    wished: Wished,
    *,
    look: bool = True,
    on_looked: OnLooked | None = None,
    survey_hosts: Callable[..., tuple[NodeFacts, ...]] = survey,
) -> Described:
    """Write the document; with `look` hosts are asked over ssh for what they are made of, and nothing else is done.

    What was not answered is taken as `offered` says. Raises UsageError for answers that cannot be meant.
    """
    answers = _answers(wished)
    facts: dict[str, NodeFacts] = {}
    lost: dict[str, str] = {}
    if look:
        targets = targets_of_cluster(propose_cluster(answers, {}))
        for one in survey_hosts(targets, on_looked=on_looked):
            if why := lost_of(one):
                lost[str(one.node)] = why.detail
            else:
                facts[str(one.node)] = one
    document = render_proposed(propose_cluster(answers, facts))
    cluster = parse_document(document, source="the document to be", expect=Cluster)
    return Described(cluster=cluster, document=document, looked_at=len(facts), lost=lost)


def parse_storage(text: str, hosts: tuple[str, ...]) -> Storage | None:
    """Read where shared files are: `none`, a path that all hosts share already, or `host:/path[@/mountpoint]`.

    A host of the cluster serves the path by NFS; another one is mounted from. Raises UsageError.
    """
    if text in ("", "none"):
        return None
    if text.startswith("/"):
        return Storage(mountpoint=text.rstrip("/") or "/", filesystem="existing")
    host, colon, path = text.partition(":")
    source, _, mountpoint = path.partition("@")
    if not (host and colon and source.startswith("/")):
        expected = "`none`, `/path` that is shared already, or `host:/path` that is served by NFS"
        raise UsageError("--storage", found=f"`{text}`", expected=expected)
    if host in hosts:
        return Storage(mountpoint=mountpoint or MOUNTPOINT, server_node=host, source=source)
    return Storage(mountpoint=mountpoint or MOUNTPOINT, source=f"{host}:{source}")


def _answers(wished: Wished) -> ClusterAnswers:
    names = expand(wished.hosts)
    if not names:
        raise UsageError("--hosts", found="no name", expected="a node set: `node[01-16]`")
    offer = offered(wished.hosts)
    head = wished.head or offer.head or ""
    if head not in names:
        raise UsageError("--head", found=f"`{head}`", expected=f"one of {wished.hosts}")
    addresses = expand(wished.addresses) if wished.addresses else ()
    if addresses and len(addresses) != len(names):
        found = f"{len(addresses)} of them"
        raise UsageError("--addresses", found=found, expected=f"{len(names)}, one for each host")
    storage = wished.storage if wished.storage is not None else offer.storage or ""
    computes = wished.head_computes if wished.head_computes is not None else offer.head_computes
    return ClusterAnswers(
        name=wished.name,
        hosts=names,
        head=head,
        addresses=dict(zip(names, addresses, strict=True)) if addresses else {},
        head_computes=bool(computes) or len(names) == 1,
        ssh=Ssh(
            user=wished.ssh_user,
            identity_file=wished.ssh_key,
            known_hosts_file=wished.ssh_known_hosts,
            sudo=wished.ssh_user != "root",
        ),
        storage=parse_storage(storage, names),
        users=_users(wished.users or ""),
    )


def _users(text: str) -> tuple[User, ...]:
    """Give people numbers, and the person who asks their public key."""
    own = getpass.getuser()
    users = [User(name=name, uid=FIRST_UID + index) for index, name in enumerate(expand(text))]
    return tuple(_with_keys(user) if user.name == own else user for user in users)


def _with_keys(user: User) -> User:
    """Give a person the public keys of this account."""
    keys = sorted(Path("~/.ssh").expanduser().glob("id_*.pub"))
    texts = tuple(key.read_text("utf-8").strip() for key in keys)
    return User(name=user.name, uid=user.uid, public_keys=texts, sudo=user.sudo)
