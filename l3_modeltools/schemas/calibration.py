"""What a cost model cannot know from data sheets: shares of peaks that are reached, and times that are lost.

Everything that differs between devices comes from their data sheets; these figures are the same for all of them.
"""

from typing import Annotated

from msgspec import Meta

from l0_infra.core.documents import Document, Name, Part, Text

__all__ = ["Calibration", "Fitted"]

Share = Annotated[float, Meta(gt=0, le=1)]
Seconds = Annotated[float, Meta(ge=0, le=1)]
Factor = Annotated[float, Meta(gt=0, le=10_000)]


class Fitted(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a calibration was fitted on, and how well it fits that."""

    dataset: Annotated[Text, Meta(description="Name of the runs.")]
    rows: Annotated[int, Meta(ge=1, description="Runs.")]
    mape: Annotated[
        float, Meta(ge=0, description="Mean absolute error of their seconds per step, as a share.")
    ]


class Calibration(Document, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="calibration"):
    """Figures of the cost model, fitted to measured runs; `ogai strategy calibrate` writes one."""

    name: Annotated[Name, Meta(description="Name.", examples=["published"])]
    matmul_share: Annotated[
        Share,
        Meta(description="Share of what the best matrix product of the device reaches that large ones do."),
    ] = 0.92
    matmul_edge: Annotated[
        Factor,
        Meta(description="Rows and columns by which the tiles of a product stick out over its result."),
    ] = 32.0
    matmul_tail: Annotated[
        Factor,
        Meta(description="Side of the square of a product's result that its last wave of tiles leaves idle."),
    ] = 600.0
    matmul_depth: Annotated[
        Factor,
        Meta(
            description="Inner rows that a tile could have gone through while it begins and ends, on a device of"
            " 312 TFLOP/s; as many more as a device is faster."
        ),
    ] = 100.0
    matmul_gap_s: Annotated[
        Seconds, Meta(description="Lost at the begin and end of each matrix product.")
    ] = 2e-5
    attention_share: Annotated[
        Share, Meta(description="Share of the best attention kernel's speed that training reaches.")
    ] = 0.95
    early_attention_forward: Annotated[
        Share, Meta(description="Speed of FlashAttention's first generation over the second's, forward.")
    ] = 0.8
    early_attention_backward: Annotated[Share, Meta(description="The same, backward.")] = 0.5
    memory_share: Annotated[
        Share, Meta(description="Share of the memory's peak bandwidth that is reached.")
    ] = 0.83
    passes_forward: Annotated[
        Factor,
        Meta(description="Times a layer reads or writes its residual stream in fused kernels, forward."),
    ] = 10.0
    passes_backward: Annotated[
        Factor, Meta(description="Bytes of the elementwise kernels backward, over those forward.")
    ] = 2.9
    unfused_passes: Annotated[
        Factor, Meta(description="Bytes of elementwise kernels that are not fused, over those that are.")
    ] = 2.0
    launch_s: Annotated[Seconds, Meta(description="What the host takes to start one kernel.")] = 2.6e-5
    kernels_forward: Annotated[Factor, Meta(description="Kernels of a layer, forward.")] = 22.0
    kernels_backward: Annotated[Factor, Meta(description="Kernels of a layer, backward.")] = 80.0
    link_share: Annotated[
        Share, Meta(description="Share of the device's own links that exchanges reach.")
    ] = 0.78
    link_latency_s: Annotated[
        Seconds, Meta(description="What an exchange over them takes beside its bytes.")
    ] = 1e-5
    link_hop_s: Annotated[Seconds, Meta(description="What each further rank adds to that.")] = 1.5e-6
    network_share: Annotated[
        Share, Meta(description="Share of the network's bandwidth that exchanges reach.")
    ] = 0.95
    network_latency_s: Annotated[
        Seconds,
        Meta(description="What each further domain of an exchange over it takes beside its bytes."),
    ] = 1.5e-5
    hidden_share: Annotated[
        Share, Meta(description="Share of a layer's work behind which exchanges between copies can hide.")
    ] = 1.0
    shard_passes: Annotated[
        Factor,
        Meta(
            description="Times ZeRO 3 reads or writes each gathered weight, as a 16-bit number, beside the products and"
            " the exchange, for each micro batch."
        ),
    ] = 10.0
    straggler_share: Annotated[
        Share,
        Meta(description="Share of a step that waiting for the slowest adds with each doubling of nodes."),
    ] = 0.006
    step_s: Annotated[Seconds, Meta(description="What a step takes beside all that is counted.")] = 5e-3
    fitted: Annotated[tuple[Fitted, ...], Meta(description="What it was fitted on.")] = ()
    sources: Annotated[tuple[Text, ...], Meta(description="Where those runs are published.")] = ()
