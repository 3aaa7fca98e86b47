"""The proof `cluster`: clusters of real hosts are killed, broken and changed while they come up and while they work."""

import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bringup.at_work import prove_changes_at_work
from bringup.breaks import BREAKS, prove_breaks_at_work, prove_breaks_meanwhile
from bringup.drift import prove_drift
from bringup.kills import prove_kills, prove_rivals
from bringup.stage import Stage, on_lab
from drills.ledger import Ledger
from report import Proof
from tests.support.labs import why_no_lab

__all__ = ["PARTS", "prove_cluster"]

PARTS = ("kills", "rivals", "drift", "breaks-at-work", "changes-at-work", "breaks-meanwhile")
NODES = 3
BROKEN_AT_ONCE = 2


@dataclass(frozen=True, kw_only=True, slots=True)
class Extent:
    """How much is done."""

    kills: int = 5
    drifts: int = 3
    at_work: tuple[str, ...] = tuple(BREAKS)
    meanwhile: tuple[str, ...] = tuple(BREAKS)


SMALL = Extent(
    kills=2,
    drifts=1,
    at_work=("cable", "power-off", "disk-full", "slow-cpu"),
    meanwhile=("power-off", "lock-apt"),
)


def prove_cluster(*, small: bool, parts: Sequence[str], seed: int, evidence: Path) -> Proof:
    """Do all parts, or those that are named; one lab has all that needs no bare hosts."""
    begun, ledger, rng = time.monotonic(), Ledger(), random.Random(seed)
    extent = SMALL if small else Extent()
    why = why_no_lab()
    if not why:
        wanted = [part for part in PARTS if part in (parts or PARTS)]
        _on_one_lab(extent, wanted, rng=rng, ledger=ledger, evidence=evidence)
        if "breaks-meanwhile" in wanted:
            _on_bare_labs(extent, rng=rng, ledger=ledger, evidence=evidence)
    return Proof(
        name="cluster",
        done=dict(sorted(ledger.done.items())),
        checked=dict(ledger.checked),
        violations=tuple(ledger.violations),
        skipped=(why,) if why else (),
        seconds=time.monotonic() - begun,
        evidence=evidence,
    )


def _on_one_lab(
    extent: Extent, wanted: Sequence[str], *, rng: random.Random, ledger: Ledger, evidence: Path
) -> None:
    acts: Mapping[str, Callable[[Stage], None]] = {
        "kills": lambda stage: prove_kills(stage, extent.kills),
        "rivals": prove_rivals,
        "drift": lambda stage: prove_drift(stage, extent.drifts),
        "breaks-at-work": lambda stage: prove_breaks_at_work(stage, extent.at_work),
        "changes-at-work": prove_changes_at_work,
    }
    chosen = [part for part in wanted if part in acts]
    if not chosen:
        return
    with on_lab("work", NODES, rng=rng, ledger=ledger, evidence=evidence) as stage:
        if "kills" not in chosen:
            stage.expect("bare hosts become a cluster", stage.cluster.up(), 0)
        for part in chosen:
            stage.act(part, acts[part])


def _on_bare_labs(extent: Extent, *, rng: random.Random, ledger: Ledger, evidence: Path) -> None:
    """Break two hosts of each lab by two kinds; the first of them all is never broken."""
    for start in range(0, len(extent.meanwhile), BROKEN_AT_ONCE):
        kinds = extent.meanwhile[start : start + BROKEN_AT_ONCE]
        with on_lab(f"bare{start}", 2 + len(kinds), rng=rng, ledger=ledger, evidence=evidence) as stage:
            stage.act(f"breaks-meanwhile {', '.join(kinds)}", partial(prove_breaks_meanwhile, kinds=kinds))
