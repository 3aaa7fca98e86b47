"""A model of `transformers` and the same one cut by hand: weights carried over, losses and gradients compared."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import PreTrainedModel

from l3_modeltools.planning.cost import Setting
from l3_modeltools.schemas import Architecture
from l3_modeltools.training import build_model
from l3_modeltools.training.dryrun.model.ends import Embedding, Output
from l3_modeltools.training.dryrun.model.feedforward import FeedForward
from l3_modeltools.training.dryrun.model.layer import Layer
from l3_modeltools.training.dryrun.model.norm import Norm
from l3_modeltools.training.dryrun.model.product import Product
from l3_modeltools.training.dryrun.model.weights import Weight
from l3_modeltools.training.dryrun.rank import Rank
from l3_modeltools.training.dryrun.record import Ledger
from l3_modeltools.training.dryrun.stage import Stage
from tests.support.tiny_models import training

__all__ = ["Whole", "cut", "gradient_error", "token_ids", "whole_model"]

BATCH, LENGTH = 2, 16


@dataclass(frozen=True)
class Whole:
    """A model, its loss of `token_ids`, and all its matrices and vectors by name, (out, in) each."""

    loss: float
    values: Mapping[str, Tensor]
    gradients: Mapping[str, Tensor]


def token_ids(architecture: Architecture) -> tuple[Tensor, Tensor]:
    """Tokens and labels, (batch, length)."""
    drawn = torch.randint(
        architecture.vocab_size, (2, BATCH, LENGTH), generator=torch.Generator().manual_seed(3)
    )
    return drawn[0], drawn[1]


def whole_model(architecture: Architecture) -> Whole:
    """Build it with transformers, all weights drawn (biases and norms too), and take its loss."""
    model = build_model(training(architecture), architecture, seed=5)
    assert isinstance(model, PreTrainedModel)
    model.eval()
    generator = torch.Generator().manual_seed(7)
    with torch.no_grad():
        for one in model.parameters():
            one.copy_(torch.randn(one.shape, generator=generator) * 0.2 + (one.ndim == 1) * 0.5)
    tokens, labels = token_ids(architecture)
    logits = model(input_ids=tokens, use_cache=False).logits
    loss = functional.cross_entropy(logits.flatten(0, 1), labels.flatten(), reduction="sum")
    loss.backward()
    values = {name: one.detach() for name, one in model.named_parameters()}
    gradients = {name: one.grad for name, one in model.named_parameters() if one.grad is not None}
    told = CANONICAL[architecture.model_type]
    return Whole(loss.item(), dict(told(values, architecture)), dict(told(gradients, architecture)))


def cut(
    setting: Setting, whole: Whole, *, tensor_rank: int = 0, context_rank: int = 0, stage: int = 0
) -> Stage:
    """Build a rank of the model and give it its parts of the weights and tokens."""
    rank = Rank(setting)
    built = Stage(rank, stage, Ledger(), tensor_rank=tensor_rank, context_rank=context_rank)
    with torch.no_grad():
        for name, weight, dim in _parts(built, rank):
            weight.value.copy_(_part(whole.values[name], dim, rank, tensor_rank))
            if weight.total is not None:
                weight.total.zero_()
    tokens, labels = token_ids(setting.architecture)
    places = built.site.tables.places
    built.tokens, built.labels = (one[:, places].T.flatten() for one in (tokens, labels))
    return built


def gradient_error(built: Stage, whole: Whole, *, tensor_rank: int = 0) -> float:
    """The largest difference of a gradient, relative to the largest of its matrix.

    Keys' biases change nothing, so that their gradients are all rounding: no matrix counts as smaller than a thousandth
    of the largest.
    """
    rank, worst = built.rank, 0.0
    least = max(float(one.abs().max()) for one in whole.gradients.values()) / 1000
    for name, weight, dim in _parts(built, rank):
        assert weight.total is not None
        expected = _part(whole.gradients[name], dim, rank, tensor_rank)
        scale = max(least, float(whole.gradients[name].abs().max()))
        worst = max(worst, float((weight.total - expected).abs().max()) / scale)
    return worst


def _part(value: Tensor, dim: int | None, rank: Rank, tensor_rank: int) -> Tensor:
    return value if dim is None else value.chunk(rank.tensor.ranks, dim)[tensor_rank]


Part = tuple[str, Weight, int | None]


def _parts(built: Stage, rank: Rank) -> Iterator[Part]:
    """Each weight with its name, and the dimension along which the tensor-parallel group cuts it."""
    first = sum(rank.setting.stages[0][: built.number])
    for chunk in built.chunks:
        if isinstance(chunk.embedding, Embedding):
            yield "embedding", chunk.embedding.table, 0
            if chunk.embedding.places is not None:
                yield "places", chunk.embedding.places, None
            if chunk.embedding.norm is not None:
                yield from _norm("embedding_norm", chunk.embedding.norm)
        for at, layer in enumerate(chunk.layers, first):
            assert isinstance(layer, Layer)
            yield from _layer(f"{at}.", layer)
        if isinstance(chunk.output, Output):
            yield from _norm("norm", chunk.output.norm)
            if not rank.architecture.tie_word_embeddings:
                yield from _product(("output",), chunk.output.product)


def _layer(prefix: str, layer: Layer) -> Iterator[Part]:
    yield from _norm(f"{prefix}norm1", layer.norms[0])
    yield from _product((f"{prefix}q", f"{prefix}k", f"{prefix}v"), layer.attention.inputs)
    yield from _product((f"{prefix}o",), layer.attention.output)
    yield from _norm(f"{prefix}norm2", layer.norms[1])
    assert isinstance(layer.inner, FeedForward)
    names = (f"{prefix}up", f"{prefix}gate")[: len(layer.inner.inputs.weights)]
    yield from _product(names, layer.inner.inputs)
    yield from _product((f"{prefix}down",), layer.inner.output)


def _norm(name: str, norm: nn.Module) -> Iterator[Part]:
    assert isinstance(norm, Norm)
    yield name, norm.weight, None
    if norm.bias is not None:
        yield f"{name}.bias", norm.bias, None


def _product(names: tuple[str, ...], product: object) -> Iterator[Part]:
    assert isinstance(product, Product)
    matrix = {"columns": 0, "rows": 1, "none": None}[product.cut]
    for name, weight in zip(names, product.weights, strict=True):
        assert isinstance(weight, Weight)
        yield name, weight, matrix
    for name, bias in zip(names, product.biases, strict=False):
        assert isinstance(bias, Weight)
        yield f"{name}.bias", bias, 0 if product.cut == "columns" else None


# What each family calls its weights.

Named = Iterator[tuple[str, Tensor]]


def _renamed(
    values: Mapping[str, Tensor], ends: Mapping[str, str], layers: str, inner: Mapping[str, str], count: int
) -> Named:
    for name, own in (
        *ends.items(),
        *((f"{at}.{a}", f"{layers}.{at}.{b}") for at in range(count) for a, b in inner.items()),
    ):
        if f"{own}.weight" in values:
            yield name, values[f"{own}.weight"]
        if f"{own}.bias" in values:
            yield f"{name}.bias", values[f"{own}.bias"]


def _llama(values: Mapping[str, Tensor], architecture: Architecture) -> Named:
    ends = {"embedding": "model.embed_tokens", "norm": "model.norm", "output": "lm_head"}
    inner = {
        **{one: f"self_attn.{one}_proj" for one in "qkvo"},
        "norm1": "input_layernorm",
        "norm2": "post_attention_layernorm",
        "up": "mlp.gate_proj",
        "gate": "mlp.up_proj",
        "down": "mlp.down_proj",
    }
    return _renamed(values, ends, "model.layers", inner, architecture.num_hidden_layers)


def _opt(values: Mapping[str, Tensor], architecture: Architecture) -> Named:
    base = "model.decoder"
    ends = {
        "embedding": f"{base}.embed_tokens",
        "places": f"{base}.embed_positions",
        "norm": f"{base}.final_layer_norm",
    }
    inner = {
        **{one: f"self_attn.{one}_proj" for one in "qkv"},
        "o": "self_attn.out_proj",
        "norm1": "self_attn_layer_norm",
        "norm2": "final_layer_norm",
        "up": "fc1",
        "down": "fc2",
    }
    return _renamed(values, ends, f"{base}.layers", inner, architecture.num_hidden_layers)


def _gpt2(values: Mapping[str, Tensor], architecture: Architecture) -> Named:
    """Its matrices are (in, out), and queries, keys and values are one."""
    ends = {"embedding": "transformer.wte", "places": "transformer.wpe", "norm": "transformer.ln_f"}
    inner = {
        "qkv": "attn.c_attn",
        "o": "attn.c_proj",
        "norm1": "ln_1",
        "norm2": "ln_2",
        "up": "mlp.c_fc",
        "down": "mlp.c_proj",
    }
    for name, value in _renamed(values, ends, "transformer.h", inner, architecture.num_hidden_layers):
        value = value.T if value.ndim == 2 and "." in name else value
        if "qkv" in name:
            yield from zip((name.replace("qkv", one) for one in "qkv"), value.chunk(3), strict=True)
        else:
            yield name, value


def _bloom(values: Mapping[str, Tensor], architecture: Architecture) -> Named:
    """Query, key and value of a head follow each other."""
    base = "transformer"
    ends = {
        "embedding": f"{base}.word_embeddings",
        "embedding_norm": f"{base}.word_embeddings_layernorm",
        "norm": f"{base}.ln_f",
    }
    inner = {
        "qkv": "self_attention.query_key_value",
        "o": "self_attention.dense",
        "norm1": "input_layernorm",
        "norm2": "post_attention_layernorm",
        "up": "mlp.dense_h_to_4h",
        "down": "mlp.dense_4h_to_h",
    }
    heads = architecture.attention.num_attention_heads
    for name, value in _renamed(values, ends, f"{base}.h", inner, architecture.num_hidden_layers):
        if "qkv" in name:
            by_head = value.unflatten(0, (heads, 3, -1))
            yield from (
                (name.replace("qkv", one), by_head[:, at].flatten(0, 1)) for at, one in enumerate("qkv")
            )
        else:
            yield name, value


CANONICAL: Mapping[str, Callable[[Mapping[str, Tensor], Architecture], Named]] = {
    "llama": _llama,
    "qwen2": _llama,
    "opt": _opt,
    "gpt2": _gpt2,
    "bloom": _bloom,
}
