"""The data sets of a run by their content: a run goes on with the tokens it began with, or not at all."""

import hashlib
from pathlib import Path

from l0_infra.core.errors import UnsatisfiableError, describe_os_error
from l3_modeltools.schemas import Run, Train

__all__ = ["hash_inputs", "require_inputs"]


def hash_inputs(train: Train) -> tuple[str, ...]:
    """Return `sha256:…` of the manifest of each data set of a resolved training, in the mixture's order.

    Raises UnsatisfiableError for a manifest that cannot be read.
    """
    mixture = train.data.mixture if train.data else ()
    return tuple(_hash(Path(part.dataset)) for part in mixture)


def require_inputs(run: Run) -> None:
    """Raise UnsatisfiableError for a data set that is another one than when the run was submitted."""
    if not run.inputs or run.train.data is None:
        return
    for part, noted, found in zip(run.train.data.mixture, run.inputs, hash_inputs(run.train), strict=True):
        if noted != found:
            raise UnsatisfiableError(
                part.dataset,
                found=f"another data set ({found[:19]}) than the run {run.run_id} began with ({noted[:19]})",
                expected="the one it began with: its samples would be others",
                hint="a data set replaced with --replace lies beside it as NAME.1: move it back, or submit anew",
            )


def _hash(manifest: Path) -> str:
    try:
        return f"sha256:{hashlib.sha256(manifest.read_bytes()).hexdigest()}"
    except OSError as error:
        raise UnsatisfiableError(
            str(manifest),
            found=describe_os_error(error),
            expected="the manifest of a data set",
            hint="ogai data list",
        ) from error
