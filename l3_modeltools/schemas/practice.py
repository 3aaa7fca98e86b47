"""How a trainer computes what a strategy cuts: number formats, fused kernels, what hides behind what."""

from typing import Annotated, Literal

from msgspec import Meta

from l0_infra.core.documents import Part

__all__ = ["Kept", "Practice"]

Format = Literal["fp32", "bf16", "fp16", "fp8"]


class Kept(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What lies in memory beside weights, gradients and matrix products, and not with every trainer."""

    stream: Annotated[Literal["fp32", "bf16"], Meta(description="Format of the sums between layers.")] = (
        "bf16"
    )
    dropout: Annotated[
        bool, Meta(description="Whether dropout keeps its masks, a byte for each value (arXiv:2205.05198).")
    ] = False
    activation_apart: Annotated[
        bool,
        Meta(description="Whether activation function and gate keep a result each, though norms are fused."),
    ] = False
    gathered: Annotated[
        bool,
        Meta(description="Whether what sequence parallelism gathers is kept, rather than gathered again."),
    ] = False
    logits_in_place: Annotated[
        bool, Meta(description="Whether the loss and its gradient overwrite the logits.")
    ] = False
    spare_gradients: Annotated[
        bool,
        Meta(
            description="Whether a 16-bit gradient of each shape of matrix lies idle beside the summed ones."
        ),
    ] = False
    stage_buffers: Annotated[
        bool,
        Meta(
            description="Whether a stage keeps what it gives, and has room for all gradients that it will get, as"
            " torch.distributed.pipelining."
        ),
    ] = False
    master_only: Annotated[
        bool,
        Meta(
            description="Whether ZeRO 3 shards the optimizer's weights alone and casts as it gathers (FSDP2)."
        ),
    ] = False


class Practice(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What frameworks do differently with one strategy; each framework has its own by default."""

    compute: Annotated[Format, Meta(description="Number format of the matrix products' operands.")] = "bf16"
    weights: Annotated[
        Literal["fp32", "bf16", "fp16"],
        Meta(description="Format of the weights that the forward pass reads."),
    ] = "bf16"
    master_weights: Annotated[
        bool, Meta(description="Whether the optimizer keeps its own fp32 weights beside 16-bit ones.")
    ] = True
    gradients: Annotated[
        Literal["fp32", "bf16", "fp16"], Meta(description="Format in which gradients are kept and summed.")
    ] = "fp32"
    reduced: Annotated[
        Literal["fp32", "bf16", "fp16"], Meta(description="Format in which gradients travel between copies.")
    ] = "fp32"
    moments: Annotated[Literal["fp32", "bf16"], Meta(description="Format of Adam's two moments.")] = "fp32"
    flash_attention: Annotated[
        bool, Meta(description="Whether attention never writes its scores (arXiv:2205.14135).")
    ] = True
    flash_generation: Annotated[
        Literal[1, 2, 3],
        Meta(
            description="Which fused attention: 1 FlashAttention as it came, and its Triton form; 2 FlashAttention-2;"
            " 3 what was written for the device, as FlashAttention-3 or cuDNN."
        ),
    ] = 2
    fused_elementwise: Annotated[
        bool, Meta(description="Whether norms, activations and additions run as fused kernels.")
    ] = True
    fused_loss: Annotated[
        bool, Meta(description="Whether logits are reduced to a loss without an fp32 copy of them.")
    ] = False
    overlap_tp: Annotated[
        bool, Meta(description="Whether tensor-parallel exchanges run behind the products they feed.")
    ] = False
    overlap_dp: Annotated[
        bool,
        Meta(description="Whether gradients are reduced, and weights gathered, behind the layers' work."),
    ] = True
    overlap_pp: Annotated[
        bool, Meta(description="Whether stages exchange activations behind their work.")
    ] = True
    selective_keeps: Annotated[
        Literal["all_but_attention_core", "every_second_product", "all_but_activation"],
        Meta(
            description="What selective recomputation keeps: all but scores and softmax (arXiv:2205.05198),"
            " every second matrix product and attention's result, as torchtitan does by default, or"
            " all but what the feed-forward part's activation gives, as MindFormers does by default."
        ),
    ] = "all_but_attention_core"
    kept: Annotated[Kept, Meta(description="What else lies in memory.")] = Kept()
