"""What a model's ends keep: the mask behind the embedding, the final norm, logits and what a loss makes of them."""

from l3_modeltools.planning.cost.bytes.place import Stage
from l3_modeltools.planning.cost.bytes.tensors import FULL, MASK, Rank, norm_tensors, rank_of
from l3_modeltools.planning.cost.setting import Setting

__all__ = ["first_bytes", "last_bytes", "logit_bytes"]


def first_bytes(rank: Rank) -> int:
    """Kept of the embedding for each micro batch: dropout's mask (arXiv:2205.05198, section 4.3)."""
    return rank.slice * rank.architecture.hidden_size * MASK * rank.practice.kept.dropout


def last_bytes(rank: Rank) -> int:
    """Kept of the final norm for each micro batch."""
    return sum(tensor.size for tensor in norm_tensors(rank, "the output", "norm"))


def logit_bytes(setting: Setting, stage: Stage) -> int:
    """Logits and what the loss needs beside them, of one micro batch at a time; each further prediction has its own.

    In place and fused, logits alone. Fused, logits and their gradient. In place, an fp32 copy too. Else logits and
    three fp32 copies: logarithms of the softmax, their gradient, that of the copy (torch.nn.functional.cross_entropy);
    where tensor parallelism cuts the vocabulary a fourth (torch.distributed.tensor.parallel.loss_parallel).
    """
    if not stage.last:
        return 0
    rank, practice = rank_of(setting), setting.practice
    in_place = practice.kept.logits_in_place
    if practice.fused_loss:
        kept, each = rank.product, rank.product * (1 if in_place else 2)
    else:
        kept, each = FULL, rank.product + FULL * (1 if in_place else 3 + (setting.vocabulary_parts > 1))
    return (rank.tokens * setting.vocabulary // setting.vocabulary_parts) * (each + kept * stage.count(2))
