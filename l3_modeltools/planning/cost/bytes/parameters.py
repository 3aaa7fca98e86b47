"""How many parameters one rank holds of each kind of layer and of a model's ends, cut by tensor and expert groups."""

from dataclasses import dataclass
from functools import lru_cache

from l3_modeltools.architectures import count_parameters, pieces
from l3_modeltools.planning.cost.bytes.place import KINDS, Kind, Stage
from l3_modeltools.planning.cost.setting import Setting
from l3_modeltools.schemas import Architecture

__all__ = ["Cut", "Parameters", "cut_parameters", "stage_parameters"]


@dataclass(frozen=True, slots=True)
class Parameters:
    """Numbers on one rank: those that all copies hold alike, and those of experts, which fewer do."""

    shared: int
    experts: int = 0

    def times(self, layers: int) -> "Parameters":
        """So many layers' worth."""
        return Parameters(self.shared * layers, self.experts * layers)

    def __add__(self, other: "Parameters") -> "Parameters":
        return Parameters(self.shared + other.shared, self.experts + other.experts)

    @property
    def total(self) -> int:
        """Both."""
        return self.shared + self.experts


@dataclass(frozen=True, slots=True)
class Cut:
    """What a rank holds of a layer of each kind, in the order of `KINDS`, and of each end."""

    layers: tuple[Parameters, Parameters, Parameters]
    embedding: int
    positions: int
    output: int
    final_norm: int

    def largest(self, stage: Stage) -> int:
        """Numbers of the largest layer of a stage."""
        return max(layer.total for kind, layer in enumerate(self.layers) if stage.count(kind))

    def ends(self, stage: Stage) -> int:
        """Numbers that a stage holds of embedding, positions, final norm and output; none held again."""
        first = (self.embedding + self.positions) * stage.first
        return first + (self.output + self.final_norm) * stage.last


def cut_parameters(setting: Setting) -> Cut:
    """Parameters of one rank, cut as Megatron-LM cuts (arXiv:1909.08053, section 3; experts over ep only)."""
    degrees = setting.strategy.degrees
    rows = setting.vocabulary // setting.vocabulary_parts
    return _cut(setting.architecture, rows, degrees.tp, degrees.ep)


def stage_parameters(setting: Setting, stage: Stage) -> Parameters:
    """All parameters that a rank of a stage holds.

    A tied embedding lies on the first and the last stage; layers for multi-token prediction need it where they are.
    """
    cut, architecture = cut_parameters(setting), setting.architecture
    held = Parameters(0)
    for kind in range(len(KINDS)):
        held += cut.layers[kind].times(stage.count(kind))
    again = (architecture.tie_word_embeddings and stage.last) or stage.count(2) > 0
    embedding = cut.embedding * (again and not stage.first)
    return held + Parameters(cut.ends(stage) + embedding)


@lru_cache(maxsize=1024)
def _cut(architecture: Architecture, rows: int, tp: int, ep: int) -> Cut:
    table = rows * architecture.hidden_size
    norm = pieces.norm_size(architecture, architecture.hidden_size)
    dense, sparse, further = (_layer(architecture, kind, tp, ep) for kind in KINDS)
    return Cut(
        layers=(dense, sparse, further),
        embedding=table + norm * architecture.embedding_norm,
        positions=count_parameters(architecture).positions,
        output=0 if architecture.tie_word_embeddings else table,
        final_norm=norm,
    )


def _layer(architecture: Architecture, kind: Kind, tp: int, ep: int) -> Parameters:
    if kind == "further":
        hidden = architecture.hidden_size
        inner = _layer(architecture, "sparse" if architecture.experts else "dense", tp, ep)
        return inner + Parameters(2 * hidden * hidden // tp + 3 * pieces.norm_size(architecture, hidden))
    attention = _attention(architecture, tp)
    return attention + (_dense(architecture, tp) if kind == "dense" else _sparse(architecture, tp, ep))


def _attention(architecture: Architecture, tp: int) -> Parameters:
    whole = pieces.latent_down_matrices(architecture)
    matrices = whole + (pieces.attention_matrices(architecture) - whole) // tp
    return Parameters(
        matrices + pieces.attention_biases(architecture) // tp + pieces.layer_norms(architecture)
    )


def _dense(architecture: Architecture, tp: int) -> Parameters:
    width = architecture.mlp.intermediate_size
    return Parameters((pieces.mlp_matrices(architecture, width) + pieces.mlp_biases(architecture)) // tp)


def _sparse(architecture: Architecture, tp: int, ep: int) -> Parameters:
    """The router is on every rank, shared experts are cut like a dense part, routed ones are dealt out whole."""
    experts = architecture.experts
    if experts is None:
        return Parameters(0)
    each = pieces.expert_matrices(architecture, experts)
    shared = experts.n_shared_experts * each // tp + pieces.router_matrix(architecture)
    return Parameters(shared, experts.n_routed_experts // ep * each)
