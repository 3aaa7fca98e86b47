"""Which strategies no dry run can build, and by which degree."""

from collections.abc import Iterable, Iterator

from l0_infra.core.errors import Fault, UnsatisfiableError
from l3_modeltools.planning.cost import Setting
from l3_modeltools.schemas import batch_faults, cut_faults

__all__ = ["dry_run_faults", "require"]


def dry_run_faults(setting: Setting) -> Iterator[Fault]:
    """Yield what is illegal of a setting, or if nothing is, what a dry run cannot build; paths are the strategy's."""
    illegal = [
        *setting.strategy.faults(),
        *cut_faults(setting.strategy, setting.architecture, setting.sequence_length),
        *batch_faults(setting.strategy, setting.global_batch_size),
    ]
    yield from illegal
    if not illegal:
        yield from _stage_faults(setting)
        yield from _group_faults(setting)


def require(faults: Iterable[Fault]) -> None:
    """Raise UnsatisfiableError for the first fault, with what else is wrong as its hint."""
    first, *more = (*faults, None)
    if first is None:
        return
    others = "; ".join(str(fault) for fault in more if fault is not None)
    path = ".".join(str(part) for part in first.path)
    hint = " — ".join(text for text in (first.hint, f"also: {others}" if others else "") if text)
    raise UnsatisfiableError(f"strategy.{path}", found=first.found, expected=first.expected, hint=hint)


def _stage_faults(setting: Setting) -> Iterator[Fault]:
    degrees, further = setting.strategy.degrees, setting.architecture.num_nextn_predict_layers
    if setting.strategy.pipeline.schedule == "zero_bubble" and degrees.vp > 1:
        found = f"vp {degrees.vp} with `zero_bubble`"
        yield Fault(path=("degrees", "vp"), found=found, expected="vp 1, or `interleaved`")
    if further > setting.stages[-1][-1]:
        yield Fault(
            path=("degrees", "pp"),
            found=f"pp {degrees.pp}: {setting.stages[-1][-1]} layers on the last stage",
            expected=f"all {further} layers for multi-token prediction there, where the output is",
        )


def _group_faults(setting: Setting) -> Iterator[Fault]:
    degrees = setting.strategy.degrees
    if degrees.tp > 1 and not setting.strategy.vocab_parallel:
        found = f"tp {degrees.tp} with an embedding that it does not cut"
        yield Fault(path=("vocab_parallel",), found=found, expected="true, or tp 1")
    if degrees.cp > 1 and not setting.practice.flash_attention:
        found = f"cp {degrees.cp} with a practice that writes attention's scores"
        yield Fault(path=("degrees", "cp"), found=found, expected="cp 1, or flash attention")
    if setting.architecture.experts and degrees.tp > 1 and not degrees.sequence_parallel:
        yield Fault(
            path=("degrees", "tp"),
            found=f"tp {degrees.tp} without sequence_parallel: each of its ranks would give all tokens to the experts",
            expected="sequence_parallel, or tp 1",
        )
