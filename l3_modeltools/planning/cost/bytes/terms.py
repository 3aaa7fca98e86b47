"""What the memory of a step is made of, as a search reads it: terms by pipeline stage, in bytes of one rank."""

from dataclasses import dataclass, fields

__all__ = ["StageMemory", "StepMemory"]

TERMS = 9


@dataclass(frozen=True, kw_only=True, slots=True)
class StageMemory:
    """Bytes of one rank of a pipeline stage, its virtual stages added up, at the fullest moment of a step.

    Moments take turns: `workspace` is what a layer's backward pass, or the end of all, needs beyond what the other
    terms have by then given free.
    """

    weights: int
    gradients: int
    master_and_moments: int
    activations: int
    logits: int
    communication: int
    workspace: int
    fragmentation: int
    context: int
    layers: int
    """Layers of the stage, those for multi-token prediction included."""
    in_flight: float
    """Micro batches whose activations are kept at once; a fraction where only some virtual stages keep one."""

    @property
    def total(self) -> int:
        """What an accelerator must have."""
        return self.reserved + self.context

    @property
    def reserved(self) -> int:
        """What a caching allocator takes from the device, `torch.cuda.max_memory_reserved`."""
        return self.allocated + self.fragmentation

    @property
    def allocated(self) -> int:
        """What tensors take at their peak, `torch.cuda.max_memory_allocated`."""
        held = self.weights + self.gradients + self.master_and_moments
        return held + self.activations + self.logits + self.communication + self.workspace

    def named(self) -> tuple[tuple[str, int], ...]:
        """Every term with its name, in the order of the declaration; they add up to the total."""
        return tuple((field.name, getattr(self, field.name)) for field in fields(self)[:TERMS])


@dataclass(frozen=True, kw_only=True, slots=True)
class StepMemory:
    """Memory of a step by pipeline stage, and whether it fits."""

    stages: tuple[StageMemory, ...]
    device_memory_bytes: int | None = None

    @property
    def peak(self) -> int:
        """Bytes of the fullest stage."""
        return max(stage.total for stage in self.stages)

    @property
    def fullest(self) -> int:
        """The stage that needs most, the first of several."""
        return max(range(len(self.stages)), key=lambda p: self.stages[p].total)

    @property
    def missing(self) -> int:
        """Bytes that the fullest stage needs beyond the device; 0 if it fits or no device was given."""
        return 0 if self.device_memory_bytes is None else max(0, self.peak - self.device_memory_bytes)
