"""`ogai lab down`: nothing of a lab is left."""

import click

from l0_infra.core.errors import UsageError
from ogai.commands.epilog import examples
from ogai.commands.lab.arguments import LAB

__all__ = ["down"]


@click.command(epilog=examples("ogai lab down", "ogai lab down d13", "ogai lab down --all"))
@click.argument("name", required=False, metavar="[NAME]", type=LAB)
@click.option("--all", "every", is_flag=True, help="Every lab.")
def down(name: str | None, every: bool) -> None:
    """Take a lab down, `lab` when none is named: its hosts, their disks, its network and its keys."""
    from ogai.flows import lab as flow

    if every and name is not None:
        raise UsageError("--all", found=f"`{name}` beside it", expected="a name, or --all")
    names = flow.names() if every else [name or "lab"]
    for one in names:
        click.echo(f"lab {one}: " + ("gone" if flow.down(one) else "there was none"), err=True)
