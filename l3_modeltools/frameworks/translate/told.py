"""What is written to a framework: a strategy, and of its model and batch what the framework counts in."""

from dataclasses import dataclass

from l3_modeltools.schemas import Architecture, Strategy, layers_by_stage

__all__ = ["Told"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Told:
    """A strategy to be written; without an architecture only what needs no layers can be."""

    strategy: Strategy
    architecture: Architecture | None = None
    sequence_length: int | None = None
    global_batch_size: int | None = None

    @classmethod
    def of(cls, strategy: Strategy, architecture: Architecture | None = None) -> "Told":
        """Take model and batch from the strategy's workload, where there is one."""
        workload = strategy.workload
        return cls(
            strategy=strategy,
            architecture=workload.architecture if workload else architecture,
            sequence_length=workload.sequence_length if workload else None,
            global_batch_size=workload.global_batch_size if workload else None,
        )

    @property
    def stages(self) -> tuple[tuple[int, ...], ...] | None:
        """Layers by [v][p], those for multi-token prediction included; None: the model is not known."""
        architecture = self.architecture
        return layers_by_stage(self.strategy, architecture.layers) if architecture else None

    @property
    def microbatches(self) -> int | None:
        """Micro batches that one copy takes in a step; None: the batch is not known."""
        unit = self.strategy.micro_batch_size * self.strategy.degrees.dp
        return self.global_batch_size // unit if self.global_batch_size else None
