"""What bring-up is planned from, besides the cluster's document."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from l0_infra.schemas import NodeFacts, Role
from l1_podsys.bringup.members import Member
from l1_podsys.bringup.traits import Trait
from l1_podsys.schemas import Cluster

__all__ = ["BringupScene", "KeyOf"]

KeyOf = Callable[[str, str, Mapping[str, str]], str]
"""Makes a step's key of its node, its role, and the role's variables."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BringupScene:
    """The cluster as wished and found. `facts` are of the nodes that were looked at, `traits` of all ever seen.

    `secrets` is the folder, on this machine, with the munge key and the database's password; `wheel` is ogai itself,
    packed, at a path that is another when its content is; None where it is not brought.
    """

    cluster: Cluster
    members: Mapping[str, Member]
    controller: str
    roles: Sequence[Role]
    key_of: KeyOf
    secrets: Path
    wheel: Path | None = None
    identity: str = ""
    """What tells this cluster from another of its name; empty: not known, and then nodes are not marked as its own."""
    facts: Mapping[str, NodeFacts] = field(default_factory=dict)
    traits: Mapping[str, Trait] = field(default_factory=dict)

    def address(self, name: str) -> str:
        """Return where a node is reached by the others: its address as far as one is known, else its name."""
        trait = self.traits.get(name)
        return (trait.address if trait else "") or self.members[name].node.address or name
