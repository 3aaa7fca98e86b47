"""How each framework computes unless it is told otherwise: what two frameworks do differently with one strategy."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from l0_infra.core.errors import UnsatisfiableError
from l3_modeltools.schemas import Kept, Practice

__all__ = ["PRACTICES", "KnownPractice", "practice_of"]


@dataclass(frozen=True, kw_only=True, slots=True)
class KnownPractice:
    """A framework's defaults, and the files of its repository that say so."""

    practice: Practice
    sources: tuple[str, ...]
    reports: Literal["allocated", "reserved"] = "reserved"
    """Which peak of its allocator it prints: what tensors took, or what the allocator took for them."""


TORCHTITAN = "github.com/pytorch/torchtitan@e7c0cae"
OLDER_TORCHTITAN = "github.com/pytorch/torchtitan@9dec370"
MEGATRON = "github.com/NVIDIA/Megatron-LM@23e00ed"
LLM_FOUNDRY = "github.com/mosaicml/llm-foundry@15fb4ff"
MINDFORMERS = "gitee.com/mindspore/mindformers@r1.5.0"

TITAN_KEPT = Kept(gathered=True, master_only=True, stage_buffers=True)

PRACTICES: Mapping[str, KnownPractice] = {
    "deepspeed": KnownPractice(
        practice=Practice(fused_elementwise=False),
        sources=(
            "arXiv:1910.02054, section 5",
            "github.com/deepspeedai/DeepSpeed/pull/4713 (bf16 gradients are summed in fp32)",
        ),
    ),
    "llm-foundry": KnownPractice(
        practice=Practice(
            reduced="bf16",
            flash_generation=1,
            fused_loss=True,
            fused_elementwise=False,
            kept=Kept(master_only=True, logits_in_place=True),
        ),
        sources=(
            f"{LLM_FOUNDRY} scripts/train/yamls/pretrain/mpt-7b.yaml (FSDP, mixed_precision PURE)",
            f"{LLM_FOUNDRY} llmfoundry/models/mpt/modeling_mpt.py (loss_fn fused_crossentropy)",
            f"{LLM_FOUNDRY} scripts/train/benchmarking/submit_benchmarks.py (attn_impl triton)",
        ),
    ),
    "llama3": KnownPractice(
        practice=Practice(kept=Kept(master_only=True)),
        sources=(
            "arXiv:2407.21783, section 3.3.2 (FSDP keeps what it gathered, gradients are summed in fp32, a copy's"
            " keys and values are gathered)",
        ),
    ),
    "megatron": KnownPractice(
        practice=Practice(flash_generation=3, kept=Kept(logits_in_place=True, spare_gradients=True)),
        sources=(
            f"{MEGATRON} megatron/core/distributed/param_and_grad_buffer.py (fp32 gradients in one buffer)",
            f"{MEGATRON} megatron/core/tensor_parallel/cross_entropy.py (fp32 logits, overwritten)",
            f"{MEGATRON} megatron/core/extensions/transformer_engine.py (attention of TransformerEngine: cuDNN's)",
            "github.com/NVIDIA/TransformerEngine transformer_engine/pytorch/module/base.py (get_dummy_wgrad)",
        ),
        reports="allocated",
    ),
    "megatron-2022": KnownPractice(
        practice=Practice(
            compute="fp16",
            weights="fp16",
            flash_attention=False,
            overlap_dp=False,
            kept=Kept(dropout=True, logits_in_place=True),
        ),
        sources=("arXiv:2205.05198, section 4", "arXiv:2104.04473, section 3"),
        reports="allocated",
    ),
    "mindformers": KnownPractice(
        practice=Practice(
            weights="fp32",
            master_weights=False,
            selective_keeps="all_but_activation",
            kept=Kept(stream="fp32", activation_apart=True, gathered=True),
        ),
        sources=(
            f"{MINDFORMERS} toolkit/pipeline_balance/readme.md (param_init_type, res_dtype float32)",
            f"{MINDFORMERS} mindformers/models/utils.py (what LayerSetting recomputes by default)",
        ),
        reports="allocated",
    ),
    "ogai": KnownPractice(
        practice=Practice(
            fused_elementwise=False,
            fused_loss=True,
            kept=Kept(logits_in_place=True, master_only=True),
        ),
        sources=(
            "l3_modeltools/training/parallel.py (FSDP2, bf16 products, fp32 sums)",
            "l3_modeltools/training/objectives/cross_entropy.py (the gradient overwrites the logits)",
        ),
    ),
    "torchtitan": KnownPractice(
        practice=Practice(fused_loss=True, selective_keeps="every_second_product", kept=TITAN_KEPT),
        sources=(
            f"{TORCHTITAN} torchtitan/models/llama3/infra/parallelize.py (MixedPrecisionPolicy, _save_list)",
            f"{TORCHTITAN} torchtitan/components/loss.py (the loss is compiled where the model is)",
        ),
    ),
    "torchtitan-2024": KnownPractice(
        practice=Practice(selective_keeps="every_second_product", kept=TITAN_KEPT),
        sources=(f"{OLDER_TORCHTITAN} train.py (compiling the loss is turned off)",),
    ),
    "torchtitan-eager": KnownPractice(
        practice=Practice(fused_elementwise=False, selective_keeps="every_second_product", kept=TITAN_KEPT),
        sources=(f"{TORCHTITAN} torchtitan/config_manager.py (compile is off by default)",),
    ),
}
"""By name: a framework as it is, `-eager` without its compiler, and with a year as it was then."""


def practice_of(framework: str) -> Practice:
    """What a framework does by default; UnsatisfiableError names those that are known."""
    if framework not in PRACTICES:
        known = ", ".join(f"`{name}`" for name in sorted(PRACTICES))
        raise UnsatisfiableError("framework", found=f"`{framework}`", expected=f"one of {known}")
    return PRACTICES[framework].practice
