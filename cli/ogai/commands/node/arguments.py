"""How commands are told which nodes are meant."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

__all__ = ["nodes_options"]

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
