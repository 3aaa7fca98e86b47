"""How much memory each rank of the project's own trainer needs, term by term."""

from dataclasses import dataclass, fields

from l3_modeltools.architectures import Parameters, count_parameters, matmul_parameters
from l3_modeltools.planning.activations import FULL, HALF, Mixing, activation_bytes, mixing_of
from l3_modeltools.planning.trained import trained_parameters
from l3_modeltools.schemas import Architecture, Dpo, Strategy, Train

__all__ = ["MemoryTerms", "checkpoint_bytes", "estimate_memory"]

MIB = 2**20

FRAMEWORK = 480 * MIB
"""A process with torch, transformers and a process group, measured on x86-64 Linux before the model is built."""

DEVICE_FRAMEWORK = 2048 * MIB
"""The same with a vendor's libraries loaded, on the host."""

CONTEXT = 1024 * MIB
"""What a driver's context, cuBLAS and NCCL (or their like) take on an accelerator."""

CPU_SLACK, DEVICE_SLACK = 4, 10
"""One in so many bytes of what comes and goes in a step is lost between blocks; measured for glibc's malloc only."""

BUCKETS = 2 * 25 * MIB
"""Two of DDP's buckets on their way; gradients live in the buckets themselves."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MemoryTerms:
    """Bytes of one rank. On an accelerator `staging` and `framework` are the host's; on a CPU all are."""

    weights: int
    gradients: int
    optimizer: int
    activations: int
    logits: int
    workspace: int
    communication: int
    context: int
    staging: int
    framework: int

    @property
    def host(self) -> int:
        """What stays on the host when there is an accelerator."""
        return self.staging + self.framework

    @property
    def device(self) -> int:
        """What lies on the accelerator, or would."""
        return self.total - self.host

    @property
    def total(self) -> int:
        """All of it."""
        return sum(value for _, value in self.named())

    def named(self) -> tuple[tuple[str, int], ...]:
        """Every term with its name, in the order of the declaration."""
        return tuple((field.name, getattr(self, field.name)) for field in fields(self))


def checkpoint_bytes(train: Train, architecture: Architecture) -> int:
    """Bytes of one checkpoint: what is trained in fp32, and AdamW's two moments of it."""
    return 3 * FULL * trained_parameters(train, architecture)


def estimate_memory(train: Train, architecture: Architecture) -> MemoryTerms:
    """Estimate what each rank needs, for the strategy of `train` (its defaults where it has none).

    Weights are fp32, beside a bf16 copy for the products; AdamW keeps 8 bytes for each trained parameter; with ZeRO
    1 to 3 a rank holds its share of both, and the copy whole (1, 2) or of two layers (3). DPO adds the first
    weights, and both sides of a pair are one batch. Terms are added up: with one micro batch a step
    gradients grow while activations shrink, so the true peak is lower.
    """
    strategy = train.strategy or Strategy()
    ranks = strategy.degrees.dp
    sharded = strategy.zero_stage > 0 and ranks > 1
    mixing, count = mixing_of(train, sharded=sharded), count_parameters(architecture)
    trained, share = trained_parameters(train, architecture), ranks if sharded else 1
    accelerated = train.resources.gpus_per_node > 0
    activations = _activations(train, architecture, strategy, mixing)
    logits = _tokens(train, strategy) * architecture.vocab_size * (FULL if mixing == "fp32" else HALF)
    slack = (activations + logits) // (DEVICE_SLACK if accelerated else CPU_SLACK)
    return MemoryTerms(
        weights=_weights(train, architecture, strategy, mixing, sharded),
        gradients=_gradients(train, strategy, trained, share),
        optimizer=2 * FULL * trained // share,
        activations=activations,
        logits=logits,
        workspace=slack + _arriving(count, trained),
        communication=_communication(train, architecture, strategy, mixing),
        context=CONTEXT if accelerated else 0,
        staging=3 * FULL * trained // ranks,
        framework=DEVICE_FRAMEWORK if accelerated else FRAMEWORK,
    )


def _tokens(train: Train, strategy: Strategy) -> int:
    """Tokens of a micro batch; both sides of a preference count."""
    sides = 2 if isinstance(train.objective, Dpo) else 1
    return sides * strategy.micro_batch_size * (train.data.sequence_length if train.data else 1)


def _activations(train: Train, architecture: Architecture, strategy: Strategy, mixing: Mixing) -> int:
    return activation_bytes(
        architecture,
        tokens=_tokens(train, strategy),
        mixing=mixing,
        recompute=strategy.recompute,
        sequence_length=train.data.sequence_length if train.data else 1,
        masked=train.data is not None and train.data.respect_documents,
    )


def _arriving(count: Parameters, trained: int) -> int:
    """Gradients of the largest matrix before they are added up: of a tied one its two uses wait for each other."""
    uses = 1 if count.output else 2
    return min(FULL * uses * count.embedding, FULL * trained)


def _weights(
    train: Train, architecture: Architecture, strategy: Strategy, mixing: Mixing, sharded: bool
) -> int:
    lora, count = train.model.lora if train.model else None, count_parameters(architecture)
    total = count.total + (trained_parameters(train, architecture) if lora else 0)
    models = 2 if isinstance(train.objective, Dpo) and lora is None else 1
    if not sharded:
        copy = 0 if mixing == "fp32" else HALF * matmul_parameters(architecture)
        return models * FULL * total + copy
    gathered = total if strategy.zero_stage < 3 else _ends(count) + 2 * _layer(architecture, count)
    each = FULL if mixing == "fp32" else HALF
    return models * (FULL * total // strategy.degrees.dp + each * gathered)


def _gradients(train: Train, strategy: Strategy, trained: int, share: int) -> int:
    """fp32; ZeRO 1 keeps them whole until the last of several micro batches."""
    batch = train.data.global_batch_size if train.data else 1
    several = batch > strategy.micro_batch_size * strategy.degrees.dp
    whole = FULL * trained if share > 1 and strategy.zero_stage == 1 and several else 0
    return FULL * trained // share + whole


def _communication(train: Train, architecture: Architecture, strategy: Strategy, mixing: Mixing) -> int:
    """DDP: buckets. FSDP: of its largest group, weights being gathered, gradients before and as they are scattered.

    Gradients travel as fp32; gloo, which carries them between CPUs, works on a copy.
    """
    if strategy.degrees.dp == 1:
        return 0
    if strategy.zero_stage == 0:
        return BUCKETS
    count, each = count_parameters(architecture), FULL if mixing == "fp32" else HALF
    travelling = FULL if train.resources.gpus_per_node else 2 * FULL
    largest = max(_ends(count), _layer(architecture, count))
    return each * _layer(architecture, count) + (2 * each + travelling) * largest


def _ends(count: Parameters) -> int:
    """What FSDP keeps together besides the layers: embedding, positions, output."""
    return count.embedding + count.positions + count.output


def _layer(architecture: Architecture, count: Parameters) -> int:
    return (count.total - _ends(count)) // architecture.num_hidden_layers
