"""One of two ranks of cut models that really exchange: `python -m tests.support.cut_ranks RANK FOLDER`.

All cuts of all families run in one pair of processes, for starting them takes longer than anything else.
"""

import json
import sys
from pathlib import Path

import msgspec
import torch
import torch.distributed as dist

from l3_modeltools.planning.cost import Setting
from l3_modeltools.schemas import Architecture, Degrees, Kept, Practice, Strategy
from l3_modeltools.training.dryrun.kernels import joined
from tests.support.tiny_models import FAMILIES
from tests.support.whole_models import BATCH, LENGTH, Whole, cut, gradient_error, whole_model

__all__ = ["CUTS", "CUT_FAMILIES", "told_name"]

CUT_FAMILIES = ("llama", "gpt2", "bloom")
CUTS = {
    "tensor": Degrees(tp=2),
    "tensor and sequence": Degrees(tp=2, sequence_parallel=True),
    "context": Degrees(cp=2),
    "pipeline": Degrees(pp=2),
}
GROUPS = {
    "tensor": "tensor",
    "tensor and sequence": "tensor",
    "context": "context",
    "pipeline": "pipeline",
}
PRACTICES = {
    "losses in place": Practice(compute="fp32", weights="fp32", kept=Kept(logits_in_place=True)),
    "losses apart": Practice(compute="fp32", weights="fp32", fused_elementwise=False),
    "losses fused, gathered kept": Practice(
        compute="fp32", weights="fp32", fused_loss=True, kept=Kept(gathered=True)
    ),
}


def told_name(name: str, family: str, rank: int) -> str:
    """The file in which a rank tells of a cut."""
    return f"{name.replace(' ', '-')}.{family}.{rank}.json"


def main(rank: int, folder: Path) -> None:
    """Run a forward and a backward pass of each cut in each practice; write losses and errors of the gradients."""
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{folder / 'store'}", rank=rank, world_size=2)
    for family in CUT_FAMILIES:
        architecture = _even(family)
        whole = whole_model(architecture)
        for name in CUTS:
            with joined({GROUPS[name]: dist.group.WORLD, "embedding": dist.group.WORLD}):
                told = [_run(rank, name, architecture, practice, whole) for practice in PRACTICES.values()]
            found = json.dumps({"expected": whole.loss, "told": told})
            (folder / told_name(name, family, rank)).write_text(found)
    dist.destroy_process_group()


def _even(family: str) -> Architecture:
    """A family's architecture with a vocabulary that two ranks share evenly."""
    return msgspec.structs.replace(FAMILIES[family], vocab_size=96)


def _run(
    rank: int, name: str, architecture: Architecture, practice: Practice, whole: Whole
) -> tuple[float, float]:
    setting = Setting(
        architecture=architecture,
        strategy=Strategy(degrees=CUTS[name], micro_batch_size=BATCH),
        sequence_length=LENGTH,
        global_batch_size=BATCH,
        practice=practice,
    )
    place = {"tensor": "tensor_rank", "context": "context_rank", "pipeline": "stage"}[GROUPS[name]]
    built = cut(setting, whole, **{place: rank})
    loss = built.forward(0).detach()
    built.backward(0)
    built.exchange_within_stage()
    total = loss if loss.numel() else torch.zeros(())
    if GROUPS[name] != "tensor":
        dist.all_reduce(total)
    if GROUPS[name] == "context":
        for weight in built.weights_of():
            dist.all_reduce(weight.total)
    return float(total), gradient_error(built, whole, tensor_rank=rank if GROUPS[name] == "tensor" else 0)


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]))
