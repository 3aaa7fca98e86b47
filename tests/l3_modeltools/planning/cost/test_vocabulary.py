"""An embedding and an output that tp does not cut: bytes, seconds, legality, and what a search does with them."""

from dataclasses import replace

from msgspec.structs import replace as changed

from l0_infra import load_devices
from l3_modeltools import Decided, Limits, Problem, machine_like, preset
from l3_modeltools.planning.cost import Setting, time_of
from l3_modeltools.planning.cost.bytes import memory_of
from l3_modeltools.planning.search import find
from l3_modeltools.schemas import Calibration, Degrees, Pipeline, Practice, Strategy, cut_faults
from tests.support.planner import setting

H100 = next(one for one in load_devices() if one.name == "h100-sxm-80")
LLAMA = preset("llama-3.1-8b")
TABLE = LLAMA.vocab_size * LLAMA.hidden_size
FIGURES = Calibration(name="test")


def cut(*, whole: bool, tp: int = 4, pp: int = 4) -> Setting:
    strategy = Strategy(
        degrees=Degrees(tp=tp, pp=pp, sequence_parallel=tp > 1),
        pipeline=Pipeline(offset=((0,) * pp,)),
        vocab_parallel=not whole,
    )
    return replace(setting(LLAMA, strategy, batches=8), practice=Practice(fused_loss=True))


def test_the_ends_hold_the_whole_tables_and_all_logits() -> None:
    """16-bit weights: tp 4 holds three quarters more of one table at each end, and four times the logits."""
    parts, wholes = memory_of(cut(whole=False)).stages, memory_of(cut(whole=True)).stages
    for p, (part, whole) in enumerate(zip(parts, wholes, strict=True)):
        more = 2 * TABLE * 3 // 4 if p in (0, 3) else 0
        assert whole.weights - part.weights == more
        assert whole.logits == 4 * part.logits
        assert whole.activations == part.activations


def test_the_output_takes_all_of_its_product() -> None:
    machine = machine_like(H100, 16, name="pod")
    part, whole = (time_of(cut(whole=one), machine, H100, FIGURES) for one in (False, True))
    assert 3 < whole.output / part.output < 4.5
    alone = [time_of(cut(whole=one, tp=1), machine, H100, FIGURES).total for one in (False, True)]
    assert alone[0] == alone[1]


def test_only_what_is_cut_has_to_divide() -> None:
    odd = changed(LLAMA, vocab_size=50_257)
    strategies = [Strategy(degrees=Degrees(tp=2), vocab_parallel=one) for one in (True, False)]
    faults = [[fault.path for fault in cut_faults(one, odd, 4096)] for one in strategies]
    assert faults == [[("degrees", "tp")], []]


def test_a_search_keeps_to_what_is_decided_and_else_cuts() -> None:
    problem = Problem(
        architecture=LLAMA,
        sequence_length=8192,
        global_batch_size=64,
        practice=Practice(fused_loss=True),
        machine=machine_like(H100, 16, name="pod"),
        device=H100,
        calibration=FIGURES,
        limits=Limits(schedules=("1f1b", "interleaved")),
        decided=Decided(tp=4),
    )
    usual = find(problem, top=1).candidates[0]
    decided = find(replace(problem, decided=Decided(tp=4, vocab_parallel=False)), top=1).candidates[0]
    assert usual.strategy.vocab_parallel
    assert not decided.strategy.vocab_parallel
    assert decided.step_s > usual.step_s
