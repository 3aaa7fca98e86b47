"""Clusters of sshd servers on loopback and small roles: everything is real but what the roles do."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from l0_infra import load_roles
from l1_podsys.schemas import Cluster, NodeGroup, Scheduler, Ssh
from ogai.flows.cluster.roles import Roles
from tests.support.loopback_hosts import Host

__all__ = ["find_by_ssh", "roles_in", "small_cluster", "small_roles"]

CASES = Path(__file__).parent.parent / "cases/apply/roles"
PROVISION = "ground"


def small_roles(folder: Path) -> Roles:
    """Copy the small roles so that they write into a folder of the test's, the same for all hosts."""
    copied, written = folder / "roles", folder / "written"
    shutil.copytree(CASES, copied)
    written.mkdir()
    for role in copied.iterdir():
        defaults = role / "defaults/main.yml"
        lines = [
            line for line in defaults.read_text().splitlines() if not line.startswith(f"{role.name}_folder")
        ]
        defaults.write_text("\n".join((*lines, f"{role.name}_folder: {written}", "")))
    return roles_in(folder)


def roles_in(folder: Path) -> Roles:
    """Read the roles that were copied there."""
    sheets = load_roles(folder / "roles")
    return Roles(
        provision=[sheet for sheet in sheets if sheet.role.name == PROVISION],
        bringup=[sheet for sheet in sheets if sheet.role.name != PROVISION],
    )


def small_cluster(
    names: str = "host[00-02]",
    *,
    engine: Literal["local", "slurm"] = "local",
    known_hosts: Path | None = None,
) -> Cluster:
    """Describe hosts that ssh knows by these names; the first leads, all compute."""
    from l0_infra.core.nodeset import expand, fold

    head, *others = expand(names)
    return Cluster(
        name="small",
        nodes=(
            NodeGroup(names=head, roles=("head", "compute")),
            *([NodeGroup(names=fold(others), roles=("compute",))] if others else []),
        ),
        ssh=Ssh(sudo=False, known_hosts_file=None if known_hosts is None else str(known_hosts)),
        scheduler=Scheduler(engine=engine),
    )


@contextmanager
def find_by_ssh(host: Host, folder: Path) -> Iterator[None]:
    """Let every ssh that is started here find the hosts."""
    programs = folder / "programs"
    programs.mkdir()
    (programs / "ssh").write_text(f'#!/bin/sh\nexec {shutil.which("ssh")} -F {host.config} "$@"\n')
    (programs / "ssh").chmod(0o755)
    before = os.environ["PATH"]
    os.environ["PATH"] = f"{programs}:{before}"
    try:
        yield
    finally:
        os.environ["PATH"] = before
