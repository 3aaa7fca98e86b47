"""What is known of ranks that do not move: who stopped first, where, and since when."""

from collections.abc import Iterator, Mapping

from l3_modeltools.resilience.hang import Hang
from l3_modeltools.resilience.heartbeat import section_of
from l3_modeltools.resilience.stacks import telling_frames
from l3_modeltools.resilience.words import name_ranks
from l3_modeltools.schemas import Evidence, Suspect, TrainingFault

__all__ = ["classify_hang"]


def classify_hang(
    run_id: str, hang: Hang, *, stacks: Mapping[int, str], node: str, now: float, monotonic: float
) -> TrainingFault:
    """Say what is known of ranks that do not move.

    `stacks` is what faulthandler wrote, by rank; `now` and `monotonic` are the same moment in seconds since the epoch
    and of CLOCK_MONOTONIC, in which `Hang` tells when it began.
    """
    waits_for_data = hang.phase == "data" and not hang.is_stopped
    return TrainingFault(
        run=run_id,
        fault_class="data_stall" if waits_for_data else "hang",
        summary=f"{name_ranks(hang.suspects)} {'got no data' if waits_for_data else 'did not move'} for"
        f" {monotonic - hang.occurred_at_s:.1f} s in {hang.phase} of step {hang.step}",
        occurred_at=min(now - (monotonic - hang.occurred_at_s), now),
        detected_at=now,
        step=max(0, hang.step),
        section=section_of(hang.phase),
        suspects=tuple(Suspect(rank=rank, node=node) for rank in hang.suspects),
        evidence=tuple(gather_of_hang(hang, stacks)),
        advised="restart_worker",
    )


def gather_of_hang(hang: Hang, stacks: Mapping[int, str]) -> Iterator[Evidence]:
    """Yield where each rank is, the suspects' stacks first."""
    for rank in sorted(stacks, key=lambda rank: (rank not in hang.suspects, rank)):
        if frames := telling_frames(stacks[rank]):
            yield Evidence(source="stack", rank=rank, text="; called by ".join(map(str, frames)))
    for rank, sentence in hang.evidence:
        yield Evidence(source="heartbeat", rank=rank, text=sentence)
