"""A run's weights leave the project: as a directory that Hugging Face's libraries load, or as plain safetensors."""

import hashlib
import os
import shutil
from pathlib import Path
from typing import Literal

from peft import PeftModel
from safetensors import SafetensorError
from safetensors.torch import save_model
from transformers import GenerationConfig, PreTrainedModel

from l0_infra.core.errors import MachineError, UsageError, describe_os_error
from l3_modeltools.training.card import render_card
from l3_modeltools.training.generate import end_tokens, generate, load_tokenizer
from l3_modeltools.training.quiet import without_bars
from l3_modeltools.training.restore import Restored, restore_run

__all__ = ["export_run", "sample_run"]

Format = Literal["hf", "safetensors"]

SHARD = "5GB"
"""Largest file of weights: what hubs and slow file systems take well."""


@without_bars()
def export_run(run_directory: Path, out: Path, *, format: Format = "hf", step: int | None = None) -> Path:
    """Write the weights of a step, or of the newest sound checkpoint, into the new directory `out`.

    `hf`: config.json, model.safetensors in fp32, tokenizer, generation_config.json, README.md; of an adapter the
    merged model, and in `adapter/` the adapter as peft keeps it. `safetensors`: the weights and README.md alone.
    `out` appears whole or not at all; its README.md tells the step, and which newer checkpoints were passed over.
    Raises UsageError where `out` is there already, UnsatisfiableError for a step that is not, UnhealthyError for a
    damaged checkpoint, MachineError where `out` cannot be made or written.
    """
    _refuse_taken(out)
    restored = restore_run(run_directory, step)
    try:
        _write_whole(restored, out, format)
    except (OSError, SafetensorError) as error:
        raise MachineError(
            str(out),
            found=describe_os_error(error) if isinstance(error, OSError) else str(error),
            expected="a new directory with room for the model",
            retry=True,
        ) from error
    return out


@without_bars()
def sample_run(
    run_directory: Path,
    prompts: tuple[str, ...],
    max_new_tokens: int,
    *,
    step: int | None = None,
    seed: int = 0,
    temperature: float = 0.8,
) -> tuple[str, ...]:
    """Return what the model of a step, or of the newest sound checkpoint, adds to each prompt; errors as above."""
    restored = restore_run(run_directory, step)
    return tuple(
        generate(
            restored.model,
            restored.tokenizer,
            prompt,
            max_new_tokens=max_new_tokens,
            seed=seed,
            temperature=temperature,
        )
        for prompt in prompts
    )


def _refuse_taken(out: Path) -> None:
    """Refuse a place that is taken, and one below a file."""
    taken = next(place for place in (out, *out.parents) if os.path.lexists(place))
    if taken == out or not taken.is_dir():
        found = "something there already" if taken == out else f"a file at {taken}"
        hint = "name another one: --to DIRECTORY"
        raise UsageError(str(out), found=found, expected="a directory still to be made", hint=hint)


def _write_whole(restored: Restored, out: Path, format: Format) -> None:
    out.parent.mkdir(parents=True, exist_ok=True)
    work = out.with_name(f".{out.name}.{os.getpid()}")
    work.mkdir()
    try:
        _write(restored, work, format)
        _publish(work, out)
    except BaseException:
        shutil.rmtree(work)
        raise


def _write(restored: Restored, work: Path, format: Format) -> None:
    model = _merged(restored.model, work / "adapter" if format == "hf" else None)
    if format == "hf":
        _write_hugging_face(model, restored.tokenizer, work)
    else:
        save_model(model, str(work / "model.safetensors"), metadata={"format": "pt"})
    (work / "README.md").write_text(_card(restored))


def _merged(model: object, adapter: Path | None) -> PreTrainedModel:
    """Add an adapter to the weights it was trained beside, after saving it by itself where that is asked for."""
    if isinstance(model, PeftModel):
        if adapter:
            model.save_pretrained(str(adapter), save_embedding_layers=False)
        model = model.merge_and_unload()
    if not isinstance(model, PreTrainedModel):
        raise TypeError(f"{type(model).__name__}, which is no model of transformers")
    return model


def _write_hugging_face(model: PreTrainedModel, tokenizer_directory: Path, work: Path) -> None:
    ends = end_tokens(load_tokenizer(tokenizer_directory))
    model.config.eos_token_id = ends[0]
    model.generation_config = GenerationConfig.from_dict({"eos_token_id": ends, "pad_token_id": ends[0]})
    model.save_pretrained(work, max_shard_size=SHARD)
    shutil.copytree(tokenizer_directory, work, dirs_exist_ok=True)


def _card(restored: Restored) -> str:
    """Write the card; a data set's manifest holds the hashes of all its files, so that its own hash says all."""
    manifests = {
        path.parent.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in restored.manifests
    }
    passed_over = [f"{found.directory.name}: {found.fault}" for found in restored.passed_over]
    return render_card(
        restored.run, restored.manifest, restored.architecture, manifests=manifests, passed_over=passed_over
    )


def _publish(work: Path, out: Path) -> None:
    """Give a written directory its name once its content is on the disk."""
    for path in (*work.rglob("*"), work):
        _sync(path)
    work.rename(out)
    _sync(out.parent)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
