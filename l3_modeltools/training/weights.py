"""First weights from a Hugging Face directory, refused unless every tensor is the model's own."""

from collections.abc import Collection
from pathlib import Path
from typing import TypedDict, cast

import msgspec
import torch
from safetensors import SafetensorError
from transformers import AutoModelForCausalLM, PretrainedConfig, PreTrainedModel

from l0_infra.core.errors import UnhealthyError, UnsatisfiableError, UsageError
from l3_modeltools.architectures import parse_hf_config, render_hf_config
from l3_modeltools.schemas import Architecture

__all__ = ["load_weights"]

INDEX = "model.safetensors.index.json"
WEIGHTS = ("model.safetensors", INDEX)

Mismatch = tuple[str, torch.Size, torch.Size]
"""A tensor's name, its shape in the file and its shape in the model."""


class Index(msgspec.Struct):
    """Which file each tensor is in."""

    weight_map: dict[str, str]


class Report(TypedDict):
    """What transformers says of a loading, in its own words."""

    missing_keys: Collection[str]
    unexpected_keys: Collection[str]
    mismatched_keys: Collection[Mismatch]


def load_weights(directory: Path, config: PretrainedConfig, architecture: Architecture) -> PreTrainedModel:
    """Build the model of `config`, which renders `architecture`, with the weights of `directory`, fp32 on the CPU.

    Raises UsageError where no model is, UnhealthyError for damaged files, UnsatisfiableError naming the first size
    or tensor that is another model's.
    """
    _refuse_other_sizes(directory, architecture)
    _refuse_damaged_index(directory)
    try:
        model, report = _load(directory, config)
    except (OSError, SafetensorError) as error:
        raise UnhealthyError(str(directory), found=f"{error}", expected="whole safetensors files") from error
    _refuse_shapes(directory, report["mismatched_keys"])
    _refuse_names(directory, "missing", report["missing_keys"], "every tensor of the model")
    _refuse_names(directory, "surplus", report["unexpected_keys"], "tensors of the model alone")
    return model


def _load(directory: Path, config: PretrainedConfig) -> tuple[PreTrainedModel, Report]:
    """Let transformers load what it can, and tell what did not fit."""
    loaded: object = AutoModelForCausalLM.from_pretrained(
        directory,
        config=config,
        dtype=torch.float32,
        local_files_only=True,
        use_safetensors=True,
        ignore_mismatched_sizes=True,
        output_loading_info=True,
    )
    return cast("tuple[PreTrainedModel, Report]", loaded)


def _refuse_other_sizes(directory: Path, architecture: Architecture) -> None:
    """Compare config.json with the architecture, in the words of config.json."""
    there, wanted = render_hf_config(_architecture_of(directory)), render_hf_config(architecture)
    for name in sorted(wanted, key=lambda name: name != "model_type"):
        if name != "architectures" and there.get(name) != wanted[name]:
            raise UnsatisfiableError(
                f"{directory}: {name}",
                found=f"`{there.get(name)}`",
                expected=f"`{wanted[name]}`, as `model.architecture` has it",
                hint="leave `model.architecture` out: the model is then what `init_from` says",
            )


def _architecture_of(directory: Path) -> Architecture:
    config = directory / "config.json"
    if not config.is_file() or not any((directory / name).is_file() for name in WEIGHTS):
        raise UsageError(
            str(directory),
            found="no config.json with model.safetensors",
            expected="a directory as Hugging Face's `save_pretrained` writes it",
        )
    return parse_hf_config(config.read_text(encoding="utf-8", errors="replace"), where=str(config))


def _refuse_damaged_index(directory: Path) -> None:
    """Look into the index of shards, which transformers takes for granted where there is no single file."""
    index = directory / INDEX
    if (directory / WEIGHTS[0]).is_file():
        return
    try:
        msgspec.json.decode(index.read_bytes(), type=Index)
    except msgspec.MsgspecError as error:
        raise UnhealthyError(
            str(index), found=f"{error}", expected="JSON with a `weight_map` of tensors to files"
        ) from error


def _refuse_shapes(directory: Path, mismatched: Collection[Mismatch]) -> None:
    for name, found, expected in sorted(mismatched):
        raise UnsatisfiableError(
            f"{directory}: `{name}`", found=f"the shape {tuple(found)}", expected=f"{tuple(expected)}"
        )


def _refuse_names(directory: Path, what: str, names: Collection[str], expected: str) -> None:
    if names:
        first, *others = sorted(names)
        more = f" and {len(others)} more" if others else ""
        raise UnsatisfiableError(str(directory), found=f"{what}: `{first}`{more}", expected=expected)
