"""The model card of an export: what it is and where it comes from, on a page that hubs can read."""

from collections.abc import Mapping, Sequence

from l3_modeltools.architectures import count_parameters
from l3_modeltools.schemas import Architecture, Checkpoint, Run

__all__ = ["render_card"]


def render_card(
    run: Run,
    checkpoint: Checkpoint,
    architecture: Architecture,
    *,
    manifests: Mapping[str, str],
    passed_over: Sequence[str] = (),
) -> str:
    """Write README.md; `manifests` gives the SHA-256 of each data set's manifest by the data set's name.

    `passed_over` tells of newer checkpoints that were damaged.
    """
    train = run.train
    total = count_parameters(architecture).total
    data = "".join(
        f"| data set `{name}` | manifest sha256 `{sha256}` |\n" for name, sha256 in manifests.items()
    )
    damaged = "".join(f"| newer, but passed over | {fault} |\n" for fault in passed_over)
    return f"""---
library_name: transformers
pipeline_tag: text-generation
---
# {train.name}

A language model of the architecture `{architecture.name}` (`{architecture.model_type}`, {total:,} parameters), trained
by ogai.

| | |
|---|---|
| run | `{run.run_id}` |
| step | {checkpoint.step:,}{f" of {train.steps:,}" if train.steps else ""} |
| tokens trained on | {checkpoint.tokens:,} |
| objective | {train.objective.__struct_config__.tag}{_adapter(run)} |
{data}{damaged}"""


def _adapter(run: Run) -> str:
    """Say that an adapter was trained, and beside which weights."""
    model = run.train.model
    if model is None or model.lora is None:
        return ""
    return f", a low-rank adapter (r {model.lora.r}, alpha {model.lora.lora_alpha}) merged into `{model.init_from}`"
