"""Support bundles: what nodes say, kept in one file for who helps, and read again anywhere."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from platform import node as hostname
from time import gmtime, strftime, time

from l0_infra import NodeEvidence, facts_of, probe_evidence, read_bundle, save_bundle
from l0_infra.core.errors import FactsMissingError, UsageError
from l0_infra.core.exec import Result, Runner
from l0_infra.schemas import NodeFacts
from ogai.flows.node.survey import visit
from ogai.flows.node.targets import Target, choose_targets

__all__ = ["Collected", "Left", "OnCollected", "collect", "default_name", "facts_in"]

LIMIT_S = 30
"""What one source may take when all of it is wanted."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Left:
    """A node that gave nothing, or a file that told nothing, and why."""

    name: str
    why: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Collected:
    """A support bundle that was written."""

    path: Path
    nodes: tuple[str, ...]
    left: tuple[Left, ...]


OnCollected = Callable[[str, float], None]
"""Called with the name of each node as it is done, and the seconds it took."""


def default_name(now: float) -> Path:
    """Name a bundle after the time, so that none is written over."""
    return Path(f"ogai-support-{strftime('%Y%m%d-%H%M%S', gmtime(now))}.tar.gz")


def collect(
    to: Path,
    nodes: str | None = None,
    *,
    hosts: str | None = None,
    cluster: Path | None = None,
    sudo: bool = False,
    limit_s: int = LIMIT_S,
    on_collected: OnCollected | None = None,
) -> Collected:
    """Ask nodes for everything that helps to judge them, and keep it without secrets in one archive.

    A node that cannot be reached is left out and told. Raises FactsMissingError when none could be; UsageError
    for what is meant badly, and when `to` is something else than a bundle.
    """
    targets = choose_targets(nodes, hosts=hosts, cluster=cluster, sudo=sudo)
    if not to.parent.is_dir():
        raise UsageError(
            str(to), found=f"no folder `{to.parent}`", expected="a file in a folder that is there"
        )

    def done(result: Result[Target, NodeEvidence]) -> None:
        if on_collected is not None:
            on_collected(_name(result.item), result.elapsed_s)

    def ask(target: Target, runner: Runner) -> NodeEvidence:
        return probe_evidence(runner, _name(target), time(), limit_s=limit_s, sudo=target.sudo)

    results = visit(targets, ask, limit_s=limit_s, on_done=done)
    told = tuple(result.value for result in results if result.value is not None)
    left = tuple(Left(name=_name(result.item), why=str(result.error)) for result in results if result.error)
    if not told:
        raise FactsMissingError(
            "ogai node collect", found=left[0].why, expected="a node that can be reached", retry=True
        )
    _save(to, told)
    return Collected(path=to, nodes=tuple(node.name for node in told), left=left)


def facts_in(bundle: Path) -> tuple[tuple[NodeFacts, ...], tuple[Left, ...]]:
    """Read the facts of each node in a bundle, and which of its files told nothing.

    Raises UsageError when it is no bundle.
    """
    try:
        nodes = read_bundle(bundle)
    except OSError as error:
        raise UsageError(
            str(bundle),
            found=error.strerror or str(error),
            expected="a folder or an archive with what tools print",
        ) from error
    unused = (Left(name=file.path, why=file.why) for node in nodes for file in node.unused)
    return tuple(map(facts_of, nodes)), tuple(unused)


def _save(to: Path, nodes: Sequence[NodeEvidence]) -> None:
    try:
        save_bundle(to, nodes)
    except OSError as error:
        raise UsageError(
            str(to),
            found=error.strerror or str(error),
            expected="a file that can be written",
            hint="name another with --to",
        ) from error


def _name(target: Target) -> str:
    return target.name or hostname().partition(".")[0] or "localhost"
