"""What a step's cost follows from, in one value: the model, its cut, the batch, and how a trainer computes."""

from dataclasses import dataclass, field

from l3_modeltools.schemas import Architecture, Practice, Strategy, layers_by_stage

__all__ = ["FORMAT_BYTES", "Setting"]

FORMAT_BYTES = {"fp32": 4, "bf16": 2, "fp16": 2, "fp8": 1}


@dataclass(frozen=True, kw_only=True, slots=True)
class Setting:
    """One training step to be priced. `strategy` is legal for the architecture (`cut_faults` finds nothing)."""

    architecture: Architecture
    strategy: Strategy
    sequence_length: int
    """Tokens of a sequence, before context parallelism cuts it."""
    global_batch_size: int
    """Sequences of a step, over all copies."""
    practice: Practice = field(default_factory=Practice)

    @property
    def microbatches(self) -> int:
        """Micro batches that one copy takes in a step."""
        return self.global_batch_size // (self.strategy.micro_batch_size * self.strategy.degrees.dp)

    @property
    def micro_tokens(self) -> int:
        """Tokens of a micro batch on one rank of a context-parallel group."""
        return self.strategy.micro_batch_size * self.sequence_length // self.strategy.degrees.cp

    @property
    def vocabulary(self) -> int:
        """Rows of the embedding, padding included."""
        return self.strategy.padded_vocab_size or self.architecture.vocab_size

    @property
    def vocabulary_parts(self) -> int:
        """Parts that tp cuts the embedding and the output into: 1 where each of its ranks has both whole."""
        return self.strategy.degrees.tp if self.strategy.vocab_parallel else 1

    @property
    def stages(self) -> tuple[tuple[int, ...], ...]:
        """Layers by [v][p], those for multi-token prediction included (they are the last ones)."""
        return layers_by_stage(self.strategy, self.architecture.layers)
