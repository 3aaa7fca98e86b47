"""What one rank has of a model and of a micro batch: sizes, number formats and groups."""

from dataclasses import dataclass
from functools import cached_property

import torch

from l3_modeltools.architectures import pieces
from l3_modeltools.planning.cost import Setting
from l3_modeltools.schemas import Alibi, Architecture, GroupedAttention, LearnedPositions, Practice, Rope

__all__ = ["DTYPES", "Group", "Rank"]

DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16, "fp8": torch.bfloat16}
"""Products in fp8 take and give 16-bit numbers; their 8-bit operands are cast within the kernel."""


@dataclass(frozen=True, slots=True)
class Group:
    """Ranks that exchange something, as one of them sees them."""

    name: str
    ranks: int

    @property
    def is_alone(self) -> bool:
        """Whether there is nobody to exchange with."""
        return self.ranks == 1


@dataclass(frozen=True)
class Rank:
    """One rank's view of a setting; what it has of the layers' widths is the same on every stage."""

    setting: Setting

    @property
    def architecture(self) -> Architecture:
        """The model that is cut."""
        return self.setting.architecture

    @property
    def practice(self) -> Practice:
        """How it is computed."""
        return self.setting.practice

    @cached_property
    def compute(self) -> torch.dtype:
        """Format of products."""
        return DTYPES[self.practice.compute]

    @cached_property
    def stream(self) -> torch.dtype:
        """Format of the sums between layers."""
        return torch.float32 if self.practice.kept.stream == "fp32" else self.compute

    @property
    def weights(self) -> torch.dtype:
        """Format of the weights that forward passes read."""
        return DTYPES[self.practice.weights]

    @property
    def batch(self) -> int:
        """Sequences of a micro batch."""
        return self.setting.strategy.micro_batch_size

    @property
    def length(self) -> int:
        """Tokens of a sequence on this rank of a context-parallel group."""
        return self.setting.sequence_length // self.context.ranks

    @property
    def tokens(self) -> int:
        """Tokens of a micro batch, as products see them."""
        return self.batch * self.length

    @property
    def slice(self) -> int:
        """Tokens between the products, which sequence parallelism deals to the tensor-parallel group."""
        return self.tokens // (self.tensor.ranks if self.is_sliced else 1)

    @property
    def is_sliced(self) -> bool:
        """Whether the tensor-parallel group splits the tokens between its products."""
        return self.setting.strategy.degrees.sequence_parallel

    @cached_property
    def tensor(self) -> Group:
        """Ranks that share each layer."""
        return Group("tensor", self.setting.strategy.degrees.tp)

    @cached_property
    def context(self) -> Group:
        """Ranks that share each sequence."""
        return Group("context", self.setting.strategy.degrees.cp)

    @cached_property
    def expert(self) -> Group:
        """Ranks that share the experts of each layer."""
        return Group("expert", self.setting.strategy.degrees.ep)

    @cached_property
    def copies(self) -> Group:
        """Ranks with the same weights: ZeRO shards among them."""
        return Group("data", self.setting.strategy.degrees.dp * self.context.ranks)

    @cached_property
    def expert_copies(self) -> Group:
        """Ranks with the same experts."""
        ranks = self.copies.ranks * self.tensor.ranks // self.expert.ranks
        return Group("expert data", max(1, ranks))

    @property
    def hidden(self) -> int:
        """Width of the residual stream."""
        return self.architecture.hidden_size

    @property
    def heads(self) -> int:
        """Query heads of this rank."""
        return self.architecture.attention.num_attention_heads // self.tensor.ranks

    @property
    def groups(self) -> int:
        """Key and value heads of this rank."""
        attention = self.architecture.attention
        whole = (
            attention.key_value_heads
            if isinstance(attention, GroupedAttention)
            else attention.num_attention_heads
        )
        return whole // self.tensor.ranks

    @property
    def head_sizes(self) -> tuple[int, int]:
        """Of a query or key head, and of a value head."""
        return pieces.head_sizes(self.architecture)

    @property
    def vocabulary(self) -> int:
        """Rows of the embedding on this rank."""
        return self.setting.vocabulary // self.tensor.ranks

    @property
    def has_rotations(self) -> bool:
        """Whether positions are rotations."""
        return isinstance(self.architecture.positions, Rope)

    @property
    def has_slopes(self) -> bool:
        """Whether positions are slopes added to scores."""
        return isinstance(self.architecture.positions, Alibi)

    @property
    def learned_positions(self) -> int:
        """Rows of the table of positions; 0 where there is none."""
        positions = self.architecture.positions
        if not isinstance(positions, LearnedPositions):
            return 0
        return self.architecture.max_position_embeddings + positions.offset
