"""Micro batches in flight against schedules that are played through, pass by pass."""

from hypothesis import given
from hypothesis import strategies as st

from l3_modeltools.architectures import preset
from l3_modeltools.planning.cost.bytes import memory_of
from l3_modeltools.planning.cost.bytes.flight import in_flight
from l3_modeltools.schemas import Degrees, Pipeline, Strategy, balanced_offset
from tests.support.planner import setting

MODEL = preset("llama-3.1-405b")


def strategy(pp: int, vp: int = 1, schedule: str = "") -> Strategy:
    named = "zero_bubble" if schedule else "interleaved" if vp > 1 else "1f1b"
    return Strategy(
        degrees=Degrees(pp=pp, vp=vp),
        pipeline=Pipeline(schedule=named, offset=balanced_offset(MODEL.layers, pp, vp)),  # type: ignore[arg-type]
    )


def played(p: int, pp: int, vp: int, batches: int) -> list[int]:
    """Megatron-LM's interleaved schedule: pp micro batches through each virtual stage in turn, warm-up, one by one."""
    order = [
        chunk
        for start in range(0, batches, pp)
        for chunk in range(vp)
        for _ in range(start, min(start + pp, batches))
    ]
    warmup = min((pp - p - 1) * 2 + (vp - 1) * pp, len(order))
    held, most = [0] * vp, [0] * vp
    backward = iter([vp - 1 - chunk for chunk in order])
    for done, chunk in enumerate(order):
        held[chunk] += 1
        most = held.copy() if sum(held) > sum(most) else most
        if done >= warmup:
            held[next(backward)] -= 1
    return most


@given(st.integers(2, 8), st.integers(2, 4), st.integers(1, 6), st.data())
def test_interleaved_stages_keep_what_the_played_schedule_keeps(
    pp: int, vp: int, groups: int, data: st.DataObject
) -> None:
    p, batches = data.draw(st.integers(0, pp - 1)), groups * pp
    flying = in_flight(setting(MODEL, strategy(pp, vp), batches=batches))
    assert list(flying[p]) == played(p, pp, vp, batches)


@given(st.integers(1, 16), st.integers(1, 40))
def test_1f1b_keeps_as_many_as_wait_for_the_last_stage(pp: int, batches: int) -> None:
    flying = in_flight(setting(MODEL, strategy(pp), batches=batches))
    assert flying == tuple((min(batches, pp - p),) for p in range(pp))
    assert set(in_flight(setting(MODEL, strategy(pp, schedule="zero_bubble"), batches=batches))) == {
        (min(batches, pp),)
    }


def test_interleaving_costs_the_first_stage_what_the_paper_says() -> None:
    """L (1 + (pp - 1) / (pp vp)) layers' worth in flight (arXiv:2205.05198, appendix B): 126 (1 + 5/18)."""
    stage = memory_of(setting(MODEL, strategy(6, 3), batches=24)).stages[0]
    assert stage.in_flight * stage.layers == 126 * (1 + 5 / 18)
