"""Look at nodes again and again, over connections that stay."""

from collections.abc import Iterator
from pathlib import Path

from l0_infra import load_rules
from l0_infra.core.exec import SshPool
from ogai.flows.node.facts import facts_of_targets
from ogai.flows.node.inspect import Inspected, judge
from ogai.flows.node.survey import LIMIT_S
from ogai.flows.node.targets import choose_targets

__all__ = ["watch"]


def watch(
    nodes: str | None = None,
    *,
    hosts: str | None = None,
    cluster: Path | None = None,
    sudo: bool = False,
    rules: Path | None = None,
) -> Iterator[Inspected]:
    """Yield what each further look at the nodes finds; the caller says when by asking for the next."""
    known = load_rules(rules)
    targets = choose_targets(nodes, hosts=hosts, cluster=cluster, sudo=sudo)
    classes = [target.node_class for target in targets]
    pool = SshPool(keep=len(targets))
    try:
        while True:
            found = facts_of_targets(targets, limit_s=LIMIT_S, on_looked=None, pool=pool)
            yield judge(found, known, classes=classes)
    finally:
        pool.close()
