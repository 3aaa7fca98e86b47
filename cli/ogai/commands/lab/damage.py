"""`ogai lab break` and `heal`."""

import click

from l0_infra.core.errors import UsageError
from ogai.commands.epilog import examples
from ogai.commands.lab.arguments import HOST, KIND

__all__ = ["break_", "heal"]


class KindsCommand(click.Command):
    """Lists the kinds of breaks below its options."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the kinds, then the examples."""
        from l1_podsys import BREAKS

        with formatter.section("Kinds"):
            formatter.write_dl([(kind.name, kind.help) for kind in BREAKS.values()])
        super().format_epilog(ctx, formatter)


@click.command(
    "break",
    cls=KindsCommand,
    epilog=examples("ogai lab break power-off lab-3", "ogai lab break cable lab-[2-3]"),
)
@click.argument("kind", metavar="KIND", type=KIND)
@click.argument("nodes", metavar="NODESET", type=HOST)
def break_(kind: str, nodes: str) -> None:
    """Break hosts on purpose; `ogai lab heal` mends them."""
    from ogai.flows import lab as flow

    flow.break_(kind, nodes)
    click.echo(f"broken: {nodes}, {kind}", err=True)


@click.command(
    cls=KindsCommand,
    epilog=examples("ogai lab heal lab-3", "ogai lab heal cable lab-[2-3]", "ogai lab heal --all"),
)
@click.argument("words", metavar="[KIND] [NODESET]", nargs=-1, type=HOST)
@click.option("--all", "every", is_flag=True, help="Every host of every lab.")
def heal(words: tuple[str, ...], every: bool) -> None:
    """Mend hosts: of one kind of break, or of all that is broken."""
    from ogai.flows import lab as flow

    if len(words) + every not in (1, 2):
        raise UsageError(
            "ogai lab heal", found=" ".join(words) or "nothing", expected="[KIND] NODESET, or --all"
        )
    kind = words[0] if len(words) + every == 2 else None
    healed = flow.heal_all(kind) if every else flow.heal(words[-1], kind)
    for name, kinds in healed.items():
        click.echo(f"{name}: " + (f"mended {', '.join(kinds)}" if kinds else "nothing was broken"), err=True)
