"""`make prove`: every proof in turn, what each did and checked, and a verdict; the exit code is 1 on any violation."""

import argparse
import random
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "cli")]

from bringup.proof import PARTS, prove_cluster  # noqa: E402  the tree under proof comes first
from chaos.proof import prove_engine  # noqa: E402
from drills.proof import Sizes, prove_resilience  # noqa: E402
from l3_modeltools.resilience.drill import DRILL_KINDS  # noqa: E402
from planner.proof import Sizes as PlannerSizes  # noqa: E402
from planner.proof import prove_planner  # noqa: E402
from report import Proof, render_markdown, render_proof, render_summary  # noqa: E402
from suites import SUITES, prove_suite  # noqa: E402

NAMES = ("engine", *SUITES, "planner", "cluster", "resilience")


def main() -> int:
    """Run the proofs that were asked for."""
    options = parse_options()
    evidence = Path(tempfile.mkdtemp(prefix="ogai-prove-"))
    evidence.chmod(0o755)
    table = proofs(options, evidence)
    done = []
    for name in options.only or NAMES:
        print(f"-- {name}, seed {options.seed}", flush=True)
        done.append(table[name]())
        print(render_proof(done[-1]), flush=True)
    print(render_summary(done, seed=options.seed))
    if options.summary:
        command = f"python tests/prove/run.py --rounds {options.rounds}"
        options.summary.write_text(render_markdown(done, seed=options.seed, command=command))
    violated = any(proof.violations for proof in done)
    if violated:
        print(
            f"violated; to run the same events again: --seed {options.seed}; evidence is kept in {evidence}"
        )
    else:
        shutil.rmtree(evidence)
    return int(violated)


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=500, help="random events of the engine proof")
    parser.add_argument("--examples", type=int, default=2000, help="examples per property of the others")
    parser.add_argument("--repeat", type=int, default=5, help="how often tests against real programs are run")
    parser.add_argument("--drills", type=int, default=200, help="random drills of the proof of resilience")
    parser.add_argument(
        "--quiet-minutes",
        type=float,
        default=30.0,
        help="how long a run is left alone beside a noisy neighbour",
    )
    parser.add_argument("--kinds", help="kinds of drills of the proof of resilience, joined by commas")
    parser.add_argument(
        "--small",
        action="store_true",
        help="drill a model of a few thousand parameters; kill commands and break a cluster a few times only",
    )
    parser.add_argument(
        "--parts", help=f"parts of the proof of clusters, joined by commas: {', '.join(PARTS)}"
    )
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--only", action="append", choices=NAMES, help="this proof only; repeatable")
    parser.add_argument("--summary", type=Path, help="write the summary to this file, as Markdown")
    return parser.parse_args()


def proofs(options: argparse.Namespace, evidence: Path) -> Mapping[str, Callable[[], Proof]]:
    engine = partial(prove_engine, rounds=options.rounds, seed=options.seed, evidence=evidence)
    suites = {
        name: partial(
            prove_suite,
            name,
            suite,
            examples=options.examples,
            repeat=options.repeat,
            seed=options.seed,
            evidence=evidence,
        )
        for name, suite in SUITES.items()
    }
    sizes = Sizes(
        drills=options.drills,
        quiet_minutes=options.quiet_minutes,
        troubles=tuple(options.kinds.split(",")) if options.kinds else tuple(DRILL_KINDS),
        small=options.small,
    )
    resilience = partial(prove_resilience, sizes, seed=options.seed, evidence=evidence)
    planner = partial(
        prove_planner,
        PlannerSizes(
            cases=options.examples,
            searches=max(1, options.examples // 4),
            inputs=max(1, options.examples // 4),
            kills=1 if options.small else 16,
        ),
        seed=options.seed,
        evidence=evidence,
    )
    cluster = partial(
        prove_cluster,
        small=options.small,
        parts=options.parts.split(",") if options.parts else (),
        seed=options.seed,
        evidence=evidence,
    )
    return {"engine": engine, **suites, "planner": planner, "cluster": cluster, "resilience": resilience}


if __name__ == "__main__":
    sys.exit(main())
