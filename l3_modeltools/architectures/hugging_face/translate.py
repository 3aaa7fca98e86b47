"""From config.json to `architecture` and back, for the families that both can say; the rest is refused."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import msgspec

from l0_infra.core.documents import below
from l0_infra.core.errors import DocumentError, Fault, UnsatisfiableError
from l3_modeltools.architectures.hugging_face.bloom import read_bloom, write_bloom
from l3_modeltools.architectures.hugging_face.deepseek import read_deepseek, write_deepseek
from l3_modeltools.architectures.hugging_face.learned import read_gpt2, read_opt, write_gpt2, write_opt
from l3_modeltools.architectures.hugging_face.reader import HfConfig, read_config
from l3_modeltools.architectures.hugging_face.rotary import read_rotary, write_rotary
from l3_modeltools.architectures.pieces import head_sizes
from l3_modeltools.schemas import Architecture, GroupedAttention

__all__ = ["MODEL_TYPES", "parse_hf_config", "render_hf_config"]

COMMAND = "train it with a trainer of its own: `framework: command`"


@dataclass(frozen=True, kw_only=True, slots=True)
class Family:
    """One `model_type`: the class that `transformers` has for it, and both directions."""

    causal_class: str
    read: Callable[[HfConfig], Architecture]
    write: Callable[[Architecture], dict[str, object]]


def _rotary(model_type: str, causal_class: str) -> Family:
    read = partial(read_rotary, model_type=model_type)
    return Family(causal_class=causal_class, read=read, write=write_rotary)


FAMILIES: Mapping[str, Family] = {
    "llama": _rotary("llama", "LlamaForCausalLM"),
    "mistral": _rotary("mistral", "MistralForCausalLM"),
    "mixtral": _rotary("mixtral", "MixtralForCausalLM"),
    "qwen2": _rotary("qwen2", "Qwen2ForCausalLM"),
    "qwen3": _rotary("qwen3", "Qwen3ForCausalLM"),
    "qwen3_moe": _rotary("qwen3_moe", "Qwen3MoeForCausalLM"),
    "gpt2": Family(causal_class="GPT2LMHeadModel", read=read_gpt2, write=write_gpt2),
    "opt": Family(causal_class="OPTForCausalLM", read=read_opt, write=write_opt),
    "bloom": Family(causal_class="BloomForCausalLM", read=read_bloom, write=write_bloom),
    "deepseek_v3": Family(causal_class="DeepseekV3ForCausalLM", read=read_deepseek, write=write_deepseek),
}

MODEL_TYPES: tuple[str, ...] = tuple(sorted(FAMILIES))
"""The families that can be translated."""


def parse_hf_config(text: str, *, where: str) -> Architecture:
    """Read a config.json; the name is its `model_type`, for the file has none.

    Dropout, initial ranges and token ids are left aside: the function that a trained model computes does
    not depend on them. DocumentError for what is no sound config.json, UnsatisfiableError, naming the
    field, for a model that `architecture` cannot say.
    """
    config = read_config(text, where)
    family = config.choice("model_type", "nothing", FAMILIES)
    architecture = family.read(config)
    faults = list(_faults(architecture))
    if faults:
        raise DocumentError(where, faults)
    return architecture


def render_hf_config(architecture: Architecture) -> dict[str, object]:
    """Write the content of a config.json, without dropout and token ids.

    UnsatisfiableError, naming the field, for what `transformers` cannot say of this family: what is
    written is read again and must mean the same.
    """
    family = _family(architecture)
    config = _shared(architecture, family) | family.write(architecture)
    again = family.read(HfConfig(where=architecture.name, fields=config))
    _compare(_written_out(architecture), _written_out(again), architecture)
    return config


def _shared(architecture: Architecture, family: Family) -> dict[str, object]:
    return {
        "architectures": [family.causal_class],
        "model_type": architecture.model_type,
        "vocab_size": architecture.vocab_size,
        "tie_word_embeddings": architecture.tie_word_embeddings,
        "bos_token_id": None,
        "eos_token_id": None,
        "pad_token_id": None,
    }


def _family(architecture: Architecture) -> Family:
    if architecture.model_type not in FAMILIES:
        raise UnsatisfiableError(
            f"architecture `{architecture.name}`: model_type",
            found=f"`{architecture.model_type}`",
            expected=f"one of {', '.join(f'`{name}`' for name in MODEL_TYPES)}",
            hint=COMMAND,
        )
    return FAMILIES[architecture.model_type]


def _faults(architecture: Architecture) -> Iterator[Fault]:
    yield from architecture.faults()
    yield from below(("attention",), architecture.attention.faults())
    if architecture.experts:
        yield from below(("experts",), architecture.experts.faults())


def _written_out(architecture: Architecture) -> Architecture:
    """The same model with everything said that may be left out, and without what is not part of it."""
    attention = architecture.attention
    if isinstance(attention, GroupedAttention):
        bias = attention.attention_bias if attention.output_bias is None else attention.output_bias
        attention = msgspec.structs.replace(
            attention,
            num_key_value_heads=attention.key_value_heads,
            head_dim=head_sizes(architecture)[0],
            output_bias=bias,
        )
    return msgspec.structs.replace(architecture, name="x", sources=(), attention=attention)


def _compare(wanted: object, written: object, architecture: Architecture, path: str = "") -> None:
    """Raise for the first difference between two documents."""
    if wanted == written:
        return
    if type(wanted) is type(written) and isinstance(wanted, msgspec.Struct):
        for name in wanted.__struct_fields__:
            deeper = f"{path}.{name}" if path else name
            _compare(getattr(wanted, name), getattr(written, name), architecture, deeper)
        return
    raise UnsatisfiableError(
        f"architecture `{architecture.name}`: {path}",
        found=_shown(wanted),
        expected=f"{_shown(written)}, as every `{architecture.model_type}` of transformers has it",
        hint=f"take that, another model_type, or {COMMAND}",
    )


def _shown(value: object) -> str:
    if isinstance(value, msgspec.Struct):
        return f"`{value.__struct_config__.tag or type(value).__name__.lower()}`"
    return "null" if value is None else f"`{value}`"
