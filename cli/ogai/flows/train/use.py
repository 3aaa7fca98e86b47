"""What a run's model is good for: texts that it goes on with, and a directory that other programs load.

What loads torch is imported when it is called, so that looking at runs stays quick.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from l0_infra.core.errors import UsageError
from l3_modeltools import find_run
from l3_modeltools.schemas import Run
from ogai.flows.train.place import runs_folder

__all__ = ["export", "sample"]


def sample(
    reference: str,
    prompts: Sequence[str],
    *,
    max_new_tokens: int = 64,
    step: int | None = None,
    seed: int = 0,
    temperature: float = 0.8,
) -> tuple[str, ...]:
    """Return what the model adds to each prompt, of its newest sound checkpoint or that of `step`.

    The same `seed` gives the same text; a `temperature` of 0 takes the likeliest token each time.

    Raises UsageError for a run that keeps no weights, UnsatisfiableError when there is no such checkpoint.
    """
    from l3_modeltools import sample_run

    run = own_run(reference)
    return sample_run(
        Path(run.directory),
        tuple(prompts),
        max_new_tokens=max_new_tokens,
        step=step,
        seed=seed,
        temperature=temperature,
    )


def export(
    reference: str,
    to: Path | str,
    *,
    format: Literal["hf", "safetensors"] = "hf",
    step: int | None = None,
) -> Path:
    """Write the model into the new directory `to`; `hf` is what `transformers` loads.

    Raises UsageError where `to` exists, and as `sample` does.
    """
    from l3_modeltools import export_run

    run = own_run(reference)
    return export_run(Path(run.directory), Path(to).absolute(), format=format, step=step)


def own_run(reference: str) -> Run:
    run = find_run(reference, runs_folder())
    if run.train.framework != "ogai":
        raise UsageError(
            f"run {run.run_id}",
            found=f"the framework `{run.train.framework}`, whose checkpoints are its own",
            expected="a run of ogai's own trainer",
        )
    return run
