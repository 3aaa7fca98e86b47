"""How commands are told which nodes are meant."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from l0_infra.core.errors import UsageError

__all__ = ["nodes_options", "refuse_beside_bundle"]

Command = TypeVar("Command", bound=Callable[..., Any])


def nodes_options(command: Command) -> Command:
    """Take `nodes`, `hosts`, `cluster` and `sudo`: none of them is this machine."""
    sudo = click.option("--sudo", is_flag=True, help="Look as root, through sudo.")
    cluster = click.option(
        "--cluster",
        metavar="FILE",
        type=click.Path(path_type=Path),
        help="Cluster document that says how its nodes are reached.",
    )
    hosts = click.option("--hosts", metavar="NODESET", help="Hosts as ssh knows them: `gpu[01-64]`.")
    nodes = click.argument("nodes", metavar="[NODESET]", required=False)
    return nodes(hosts(cluster(sudo(command))))


def refuse_beside_bundle(**options: object) -> None:
    """Raise UsageError when one of them is given, for a support bundle is read and nobody looked at."""
    given = next((name for name, value in options.items() if value), None)
    if given is not None:
        raise UsageError(
            "--bundle",
            found="nodes beside it" if given == "nodes" else f"--{given} beside it",
            expected="a bundle to read, or nodes to look at",
        )
