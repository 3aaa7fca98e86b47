"""`ogai lab up`: hosts are made and started."""

from pathlib import Path
from typing import get_args

import click

from l0_infra.core.units import parse_bytes
from l1_podsys import LabOs

__all__ = ["up"]

EPILOG = """\b
Examples:
  ogai lab up
  ogai lab up --nodes 6         two more hosts, the others stay as they are
  ogai lab up --name d13 --os debian13
  ogai lab up --memory 1GiB --vary

The first lab of a Debian release takes a minute or two, for its image is made; later ones take seconds.
"""


@click.command(epilog=EPILOG)
@click.option("--name", default="lab", show_default=True, metavar="NAME", help="Name of the lab.")
@click.option("--nodes", default=4, show_default=True, metavar="N", help="How many hosts it shall have.")
@click.option(
    "--os",
    "os_name",
    type=click.Choice(get_args(LabOs)),
    default="debian12",
    show_default=True,
    help="What the hosts run.",
)
@click.option(
    "--dir",
    "directory",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where the hosts' disks lie; default: beside the lab's own files in OGAI_HOME.",
)
@click.option("--memory", metavar="SIZE", help="What each host may use, such as 1GiB; default: no limit.")
@click.option("--vary", is_flag=True, help="Make the hosts differ in memory and accelerators, on purpose.")
@click.option("--mirror", metavar="URL", help="Debian mirror; default: this machine's own.")
@click.option(
    "--output",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("lab.yaml"),
    show_default=True,
    help="Where the cluster document goes.",
)
def up(
    name: str,
    nodes: int,
    os_name: LabOs,
    directory: Path | None,
    memory: str | None,
    vary: bool,
    mirror: str | None,
    output: Path,
) -> None:
    """Make a lab of Debian hosts, or what it lacks; write its cluster document.

    A lab that is as wished stays as it is.
    """
    from ogai.flows import lab as flow

    lab = flow.up(
        name,
        nodes=nodes,
        os_name=os_name,
        directory=directory,
        memory_bytes=None if memory is None else parse_bytes(memory, where="--memory"),
        vary=vary,
        mirror=mirror,
        output=output,
        on_step=lambda text: click.echo(text, err=True),
    )
    first = lab.hosts[0].name
    click.echo(f"next: ogai cluster up {output}, or: ogai lab shell {first}", err=True)
    click.echo(str(output))
