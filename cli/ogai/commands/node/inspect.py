"""`ogai node inspect`: what is wrong with nodes."""

from pathlib import Path

import click

from l0_infra.core.errors import UsageError
from ogai.commands.node.arguments import nodes_options, refuse_beside_bundle
from ogai.render import Output, emit, output_option

__all__ = ["inspect"]

EPILOG = """\b
Examples:
  ogai node inspect
  ogai node inspect --hosts gpu[01-64] --sudo
  ogai node inspect --cluster pod.yaml -o json | jq '.[].findings[].rule'
  ogai node inspect --bundle case-118.tar.gz
  ogai node inspect --hosts gpu[01-08] --watch

Exit code 6: a node has a fatal fault or an error. 4: a node could not be looked at. Warnings and notices are 0.
Nodes are judged by themselves and against those of their class. `ogai schema example node_rules` begins rules of
your own.
"""


@click.command(epilog=EPILOG)
@nodes_options
@click.option(
    "--bundle", metavar="DIR|TAR", type=click.Path(path_type=Path), help="Judge what a support bundle says."
)
@click.option(
    "--rules", metavar="FILE", type=click.Path(path_type=Path), help="More rules, a document `node_rules`."
)
@click.option("--watch", is_flag=True, help="Look again and again; q leaves.")
@output_option
def inspect(
    nodes: str | None,
    hosts: str | None,
    cluster: Path | None,
    sudo: bool,
    bundle: Path | None,
    rules: Path | None,
    watch: bool,
    output: Output,
) -> None:
    """Judge this machine, many nodes or a support bundle: what is wrong, why it matters, how to mend it."""
    from ogai.flows import node as flow
    from ogai.render.node.inspection import print_inspected
    from ogai.render.node.looking import looking, tell_left

    if bundle is not None:
        refuse_beside_bundle(nodes=nodes, hosts=hosts, cluster=cluster, sudo=sudo, watch=watch)
    if watch:
        if output != "table":
            raise UsageError("--watch", found=f"-o {output} beside it", expected="a table on a terminal")
        from ogai.commands.node.watching import watch_nodes

        watch_nodes(flow.watch(nodes, hosts=hosts, cluster=cluster, sudo=sudo, rules=rules))
        return
    if bundle is not None:
        inspected, left = flow.inspect_bundle(bundle, rules=rules)
        tell_left(left)
    else:
        with looking("looked at") as looked:
            inspected = flow.inspect(
                nodes, hosts=hosts, cluster=cluster, sudo=sudo, rules=rules, on_looked=looked
            )
    alone = nodes is None and hosts is None and cluster is None and len(inspected.inspections) == 1
    result = inspected.inspections[0] if alone else inspected.inspections
    emit(result, output, lambda _: print_inspected(inspected.inspections))
    flow.raise_for_findings(inspected)
