"""First weights from a Hugging Face directory, refused unless every tensor is the model's own."""

from collections.abc import Collection
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, PretrainedConfig, PreTrainedModel

from l0_infra.core.errors import UnsatisfiableError, UsageError

__all__ = ["load_weights"]

WEIGHTS = ("model.safetensors", "model.safetensors.index.json")


def load_weights(directory: str, config: PretrainedConfig) -> PreTrainedModel:
    """Build the model of `config` with the weights of `directory`, as fp32 on the CPU.

    Raises UsageError where there are no safetensors, UnsatisfiableError for tensors that are missing, surplus or
    of other shapes.
    """
    if not any((Path(directory) / name).is_file() for name in WEIGHTS):
        raise UsageError(
            directory,
            found="no model.safetensors",
            expected="a directory that Hugging Face's `save_pretrained` wrote",
        )
    model, report = AutoModelForCausalLM.from_pretrained(
        directory,
        config=config,
        dtype=torch.float32,
        attn_implementation="sdpa",
        local_files_only=True,
        use_safetensors=True,
        ignore_mismatched_sizes=True,
        output_loading_info=True,
    )
    _refuse_shapes(directory, report["mismatched_keys"])
    _refuse_names(directory, "missing", report["missing_keys"], "every tensor of the model")
    _refuse_names(directory, "surplus", report["unexpected_keys"], "tensors of the model alone")
    loaded: PreTrainedModel = model
    return loaded


def _refuse_shapes(directory: str, mismatched: Collection[tuple[str, torch.Size, torch.Size]]) -> None:
    for name, found, expected in sorted(mismatched):
        raise UnsatisfiableError(
            f"{directory}: `{name}`", found=f"the shape {tuple(found)}", expected=f"{tuple(expected)}"
        )


def _refuse_names(directory: str, what: str, names: Collection[str], expected: str) -> None:
    if not names:
        return
    first, *others = sorted(names)
    more = f" and {len(others)} more" if others else ""
    raise UnsatisfiableError(directory, found=f"{what}: `{first}`{more}", expected=expected)
