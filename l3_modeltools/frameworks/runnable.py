"""What each framework runs: the one place that says which degrees, ZeRO stages and schedules it has."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from l0_infra.core.errors import Fault, UnsatisfiableError
from l3_modeltools.schemas import Degrees, Framework, Strategy

__all__ = ["RUNNABLE", "Runnable", "require_runnable", "runnable_degrees"]

Cut = Literal["dp", "tp", "pp", "cp", "ep", "vp"]
CUTS: tuple[Cut, ...] = ("dp", "tp", "pp", "cp", "ep", "vp")
ALL = frozenset(CUTS)


@dataclass(frozen=True, kw_only=True, slots=True)
class Runnable:
    """What a framework runs. A ZeRO stage or schedule that it lacks is replaced by another; a degree cannot be."""

    framework: str
    degrees: frozenset[Cut]
    """Degrees that may be more than 1."""
    zero_stages: tuple[int, ...]
    schedules: tuple[str, ...] = ("1f1b",)
    highest_zero: Mapping[Cut, int] = field(default_factory=dict)
    """With this degree above 1, the highest ZeRO stage."""
    why: Mapping[str, str] = field(default_factory=dict)
    """By degree: the reason, or what it is in the framework's own words."""
    fills_pipeline: bool = False
    """Whether it refuses fewer micro batches than pipeline stages."""
    groups: Literal["pp", "equal"] | None = None
    """Groups in which micro batches go through virtual stages: of `pp`, or `equal` ones of pp or more; None: any."""
    sources: tuple[str, ...] = ()

    def faults(self, strategy: Strategy, microbatches: int | None = None) -> Iterator[Fault]:
        """Yield each degree that it cannot run, with paths into the strategy."""
        for cut in CUTS:
            yield from self._degree_faults(cut, getattr(strategy.degrees, cut), strategy)
        pp = strategy.degrees.pp
        if self.fills_pipeline and pp > 1 and microbatches is not None and microbatches < pp:
            yield Fault(
                path=("degrees", "pp"),
                found=f"pp {pp} with {microbatches} micro batches",
                expected=f"at least {pp} micro batches: {self.framework} refuses fewer than stages",
                hint="a larger global_batch_size, or a smaller micro_batch_size, dp or pp",
            )
        if strategy.degrees.vp > 1 and microbatches is not None:
            yield from self._group_faults(strategy.degrees, microbatches)

    def _group_faults(self, degrees: Degrees, microbatches: int) -> Iterator[Fault]:
        """Yield micro batches that do not make whole groups."""
        group = {"pp": degrees.pp, "equal": max(1, microbatches // degrees.pp), None: 1}[self.groups]
        if microbatches % group == 0:
            return
        wanted = {
            "pp": f"a multiple of pp {degrees.pp}",
            "equal": f"as many groups alike as pp {degrees.pp} goes into them, {group}",
        }
        yield Fault(
            path=("degrees", "vp"),
            found=f"vp {degrees.vp} with {microbatches} micro batches",
            expected=f"{wanted[self.groups or 'pp']}: {self.framework} takes them through virtual stages in groups",
            hint="vp 1, or another global_batch_size, micro_batch_size, dp or pp",
        )

    def _degree_faults(self, cut: Cut, degree: int, strategy: Strategy) -> Iterator[Fault]:
        if degree == 1:
            return
        if cut not in self.degrees:
            yield Fault(
                path=("degrees", cut),
                found=f"{cut} {degree}",
                expected=f"{cut} 1: {self.why.get(cut, f'{self.framework} does not cut so')}",
                hint=self._hint(strategy),
            )
        highest = self.highest_zero.get(cut, 3)
        if strategy.zero_stage > highest:
            yield Fault(
                path=("degrees", cut),
                found=f"{cut} {degree} with zero_stage {strategy.zero_stage}",
                expected=f"{cut} 1, or a zero_stage of {highest} at most: {self.why.get(cut, '')}",
                hint=self._hint(strategy),
            )

    def _hint(self, strategy: Strategy) -> str:
        others = [
            one for one in RUNNABLE.values() if one is not self and one.framework in get_args(Framework)
        ]
        able = [one.framework for one in others if _runs(one, strategy)]
        named = " or ".join(f"`{name}`" for name in able)
        kept = "keep it 1 with a higher `zero_stage`" if self.framework == "ogai" else ""
        return ", or ".join(filter(None, [kept, f"take the framework {named}" if named else ""]))


def _runs(one: Runnable, strategy: Strategy) -> bool:
    degrees = strategy.degrees
    able = all(cut in one.degrees or getattr(degrees, cut) == 1 for cut in CUTS)
    return able and all(
        getattr(degrees, cut) == 1 or strategy.zero_stage <= highest
        for cut, highest in one.highest_zero.items()
    )


RUNNABLE: Mapping[str, Runnable] = {
    one.framework: one
    for one in (
        Runnable(
            framework="ogai",
            degrees=frozenset({"dp"}),
            zero_stages=(0, 2, 3),
            why=dict.fromkeys(("tp", "pp", "cp", "ep", "vp"), "the trainer of ogai shards over dp only"),
            sources=("l3_modeltools/training/parallel.py",),
        ),
        Runnable(
            framework="megatron",
            degrees=ALL,
            zero_stages=(0, 1, 2, 3),
            schedules=("1f1b", "interleaved"),
            groups="pp",
            sources=(
                "NVIDIA/Megatron-LM@d98e8a6 megatron/training/arguments.py",
                "NVIDIA/Megatron-LM@d98e8a6 megatron/core/pipeline_parallel/schedules.py (final_microbatch_group_size)",
            ),
        ),
        Runnable(
            framework="torchtitan",
            degrees=ALL,
            zero_stages=(0, 2, 3),
            schedules=("1f1b", "interleaved", "zero_bubble"),
            groups="equal",
            sources=(
                "pytorch/torchtitan@b5bcd76 torchtitan/distributed/parallel_dims.py",
                "pytorch/pytorch v2.13.0 torch/distributed/pipelining/schedules.py (number_of_rounds)",
            ),
        ),
        Runnable(
            framework="deepspeed",
            degrees=frozenset({"dp", "tp", "pp", "cp", "ep"}),
            zero_stages=(0, 1, 2, 3),
            highest_zero={"tp": 2, "pp": 1},
            why={
                "tp": "AutoTP of DeepSpeed's releases excludes ZeRO 3",
                "pp": "DeepSpeed's pipeline engine excludes ZeRO 2 and 3",
                "vp": "DeepSpeed's pipeline engine has no virtual stages",
            },
            sources=(
                "deepspeedai/DeepSpeed@edaa722 deepspeed/runtime/pipe/engine.py",
                "deepspeedai/DeepSpeed@eec237e docs/_pages/config-json.md (AutoTP with ZeRO 3, August 2026)",
            ),
        ),
        Runnable(
            framework="mindformers",
            degrees=ALL,
            zero_stages=(0, 1, 2),
            schedules=("1f1b", "interleaved", "zero_bubble"),
            fills_pipeline=True,
            sources=("mindspore-lab/mindformers@fd4deeb mindformers/modules/transformer/transformer.py",),
        ),
        Runnable(
            framework="mindformers-2",
            degrees=ALL,
            zero_stages=(0, 2, 3),
            schedules=("1f1b", "interleaved"),
            sources=("mindspore-ai/mindformers@167a50d mindformers/pynative/config/config.py",),
        ),
    )
}
"""By name; `mindformers` is 1.x in graph mode, `mindformers-2` the dynamic graph of 2.x."""


def runnable_degrees(framework: str) -> Runnable:
    """What a framework runs; UnsatisfiableError for one that is not known."""
    if framework not in RUNNABLE:
        known = ", ".join(f"`{name}`" for name in sorted(RUNNABLE))
        raise UnsatisfiableError("framework", found=f"`{framework}`", expected=f"one of {known}")
    return RUNNABLE[framework]


def require_runnable(framework: str, strategy: Strategy, microbatches: int | None = None) -> None:
    """Raise UnsatisfiableError, naming the degree, for a strategy that the framework cannot run."""
    for fault in runnable_degrees(framework).faults(strategy, microbatches):
        where = ".".join(map(str, fault.path))
        raise UnsatisfiableError(where, found=fault.found, expected=fault.expected, hint=fault.hint)
