"""What a plan foretold of a run, kept with it so that what was measured can be set beside it."""

from typing import Annotated

from msgspec import Meta

from l0_infra.core.documents import Bytes, Name, Part

__all__ = ["Expected"]


Seconds = Annotated[float, Meta(gt=0)]
Rate = Annotated[float, Meta(gt=0)]


class Expected(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What each rank would take; null: the plan could not say."""

    memory_bytes: Annotated[
        Bytes, Meta(description="Peak of a rank: of its accelerator, or of its process where it has none.")
    ]
    step_s: Annotated[Seconds | None, Meta(description="Seconds of a step.")] = None
    device: Annotated[
        Name | None, Meta(description="Data sheet of the accelerators.", examples=["h100-sxm-80"])
    ] = None
    peak_flop_per_s: Annotated[
        Rate | None, Meta(description="Dense bf16 peak of one, by which its utilisation is told.")
    ] = None
    calibration: Annotated[
        Name | None, Meta(description="Figures of the cost model.", examples=["published"])
    ] = None
