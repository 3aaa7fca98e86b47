"""How fast the planner finds the best strategy, or that there is none: large models on up to 16,384 H100.

The ratio is against pricing every way to cut once, with even stages: a lower bound of looking at everything, for layers
can be dealt and recomputed in many ways more. It is worked out from the time that a sample takes.
"""

import argparse
from dataclasses import dataclass
from itertools import islice
from time import perf_counter, process_time

from l0_infra import load_devices
from l3_modeltools import Problem, limits_of, load_calibration, practice_of, preset
from l3_modeltools.planning.cost import time_of
from l3_modeltools.planning.cost.bytes import memory_of
from l3_modeltools.planning.search import Limits, explain_nothing, find
from l3_modeltools.planning.search.shapes import Space, outline
from l3_modeltools.schemas import Machine, Network

SAMPLE = 500


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """A model on so many nodes of eight H100, 400 Gb/s each."""

    model: str
    nodes: int
    global_batch: int
    sequence_length: int


CASES = (
    Case(model="llama-3.1-405b", nodes=2048, global_batch=2048, sequence_length=8192),
    Case(model="deepseek-v3", nodes=256, global_batch=4096, sequence_length=4096),
    Case(model="deepseek-v3", nodes=8, global_batch=4096, sequence_length=4096),
)
"""A dense model and one with many experts, at the size that they are trained at; and one that fits nothing."""


def main() -> None:
    """Print seconds, ways to cut, and how many of them were looked at how closely; of one case if a model is told."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model")
    parser.add_argument("--nodes", type=int, default=2048)
    parser.add_argument("--global-batch", type=int, default=2048)
    parser.add_argument("--sequence-length", type=int, default=8192)
    wished = parser.parse_args()
    told = Case(
        model=wished.model,
        nodes=wished.nodes,
        global_batch=wished.global_batch,
        sequence_length=wished.sequence_length,
    )
    for case in (told,) if wished.model else CASES:
        for framework in (None, "megatron"):
            report(problem_of(case, framework), framework or "any framework")


def problem_of(wished: Case, framework: str | None) -> Problem:
    """All that its best strategy follows from."""
    device = next(one for one in load_devices() if one.name == "h100-sxm-80")
    network = Network(bytes_per_s_per_device=5e10)
    return Problem(
        architecture=preset(wished.model),
        sequence_length=wished.sequence_length,
        global_batch_size=wished.global_batch,
        practice=practice_of(framework or "megatron"),
        machine=Machine(name="pod", device=device.name, nodes=wished.nodes, network=network),
        device=device,
        calibration=load_calibration(),
        limits=limits_of(framework) if framework else Limits(),
    )


def report(problem: Problem, name: str) -> None:
    """Search once, and say what pricing everything would have taken."""
    began, computed = perf_counter(), process_time()
    found = find(problem)
    seconds, computed = perf_counter() - began, process_time() - computed
    everything = found.shapes * seconds_each(problem)
    print(f"{problem.architecture.name} on {problem.machine.devices:,} devices, {name}")
    best = f"best step {found.candidates[0].step_s:.3f} s" if found.candidates else "nothing fits"
    print(f"  {seconds:.2f} s ({computed:.2f} s of a processor), {best}")
    print(f"  {found.shapes:,} ways to cut: {found.too_slow:,} proven slower, {found.too_large:,} too large,")
    print(f"  {found.dealt:,} dealt exactly, {found.priced:,} strategies priced")
    print(f"  pricing every way once would take {everything:.0f} s, {everything / seconds:.0f} times as long")
    if not found.candidates:
        began = perf_counter()
        hint = explain_nothing(problem).hint
        print(f"  {perf_counter() - began:.2f} s more to find what would help: {hint}")


def seconds_each(problem: Problem) -> float:
    """Seconds to price one strategy, time and memory, over a sample of all kinds of cuts."""
    space = Space(problem)
    cuts = list(space.cuts())
    chosen = [next(iter(space.shapes(cut))) for cut in islice(cuts, 0, None, max(1, len(cuts) // SAMPLE))]
    began = perf_counter()
    for shape in chosen:
        setting = problem.setting(outline(problem, shape))
        time_of(setting, problem.machine, problem.device, problem.calibration)
        memory_of(setting)
    return (perf_counter() - began) / len(chosen)


if __name__ == "__main__":
    main()
