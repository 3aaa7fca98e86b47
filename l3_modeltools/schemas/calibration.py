"""What a cost model cannot know from data sheets: shares of peaks that are reached, and times that are lost.

Everything that differs between devices comes from their data sheets; these figures are the same for all of them.
"""

from typing import Annotated

from msgspec import Meta

from l0_infra.core.documents import Document, Name, Part, Text

__all__ = ["Calibration", "Fitted"]

Share = Annotated[float, Meta(gt=0, le=1)]
Seconds = Annotated[float, Meta(ge=0, le=1)]
Factor = Annotated[float, Meta(gt=0, le=1000)]


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
        Meta(
            description="Rows (and columns) of a product at which half of its speed is lost to its edges, on a device"
            " of 312 TFLOP/s; it grows with the root of the peak, as products need more tiles to fill a wider device."
        ),
    ] = 280.0
    matmul_gap_s: Annotated[
        Seconds, Meta(description="Lost at the begin and end of each matrix product.")
    ] = 2e-5
    attention_forward_share: Annotated[
        Share, Meta(description="Share of the best attention kernel's speed that training reaches, forward.")
    ] = 0.87
    attention_backward_share: Annotated[Share, Meta(description="The same, backward.")] = 0.51
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
    ] = 0.82
    link_latency_s: Annotated[
        Seconds, Meta(description="What an exchange over them takes beside its bytes.")
    ] = 1.1e-5
    network_share: Annotated[
        Share, Meta(description="Share of the network's bandwidth that exchanges reach.")
    ] = 0.95
    network_latency_s: Annotated[
        Seconds, Meta(description="What an exchange over it takes beside its bytes.")
    ] = 1.5e-5
    hidden_share: Annotated[
        Share, Meta(description="Share of a layer's work behind which exchanges between copies can hide.")
    ] = 1.0
    step_s: Annotated[Seconds, Meta(description="What a step takes beside all that is counted.")] = 5e-3
    fitted: Annotated[tuple[Fitted, ...], Meta(description="What it was fitted on.")] = ()
    sources: Annotated[tuple[Text, ...], Meta(description="Where those runs are published.")] = ()
