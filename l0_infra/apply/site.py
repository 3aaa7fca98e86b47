"""What carrying out a plan acts through and where it writes: passed in, so that tests can script all of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from l0_infra.core.exec import Runner, Secret
from l0_infra.roles import RoleSheet

__all__ = ["Host", "Site"]

SILENCE_S = 900.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Host:
    """How one node is reached: by our runners (`sudo`), and by ansible (its own variables)."""

    name: str
    variables: Mapping[str, str | int | bool] = field(default_factory=dict)
    sudo: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Site:
    """The nodes, the roles, and this machine.

    `runner` reaches a node, `control` this machine. A node of which nothing is heard for `silence_s` is taken to hang.
    """

    hosts: Mapping[str, Host]
    runner: Callable[[str], Runner]
    control: Runner
    roles: Mapping[str, RoleSheet]
    folder: Path
    program: str = "ansible-playbook"
    password: Secret | None = None
    guard: Path | None = None
    """A file on which every ansible-playbook holds a lock while it lives."""
    silence_s: float = SILENCE_S
    playbooks: int = 4
    forks: int = 32
