"""`ogai cluster use`: which cluster is meant where none is named."""

import click
from click.shell_completion import CompletionItem

from ogai.render import Output, emit, output_option

__all__ = ["use"]

EPILOG = """\b
Examples:
  ogai cluster use pod1

`ogai cluster list` shows which are kept here. The cluster that was brought up last is the current one.
"""


class ClusterName(click.ParamType[str]):
    """The name of a cluster that is kept here; the shell completes it."""

    name = "name"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Offer the clusters that are kept here."""
        import os

        from l0_infra.core.store import ogai_home
        from l1_podsys import known_names

        names = known_names(ogai_home(os.environ))
        return [CompletionItem(name) for name in names if name.startswith(incomplete)]


@click.command(epilog=EPILOG)
@click.argument("name", type=ClusterName())
@output_option
def use(name: str, output: Output) -> None:
    """Have the cluster NAME be meant where none is named."""
    from ogai.flows import cluster as flow
    from ogai.render.cluster.kept import print_chosen

    emit(flow.use(name), output, print_chosen)
