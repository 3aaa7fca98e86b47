"""Checkpoints of this person's runs, free of the command line: `import ogai; ogai.checkpoint.poll("tiny-llama-1")`."""

import os
from dataclasses import dataclass
from pathlib import Path

from l0_infra.core.errors import UnhealthyError, UnsatisfiableError, UsageError, describe_os_error
from l0_infra.core.store import ogai_home
from l3_modeltools import CHECKPOINTS, Compared, Found, Shelf, compare_checkpoints, find_run, probe_checkpoint

__all__ = ["Checkpoint", "Compared", "diff", "poll", "verify"]

SHOWN = 5
"""Steps named in a refusal."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Checkpoint:
    """One checkpoint as it lies there; what only its manifest tells is None where that cannot be read.

    `state` is `sound`, `damaged`, `set aside` or `unfinished`; `fault` says why it is not sound.
    """

    step: int
    tokens: int | None
    saved_at: float | None
    size_bytes: int
    world_size: int | None
    run: str | None
    state: str
    fault: str
    directory: str


def poll(where: str | Path) -> tuple[Checkpoint, ...]:
    """List the checkpoints of a run or a directory, the oldest first, judged by manifests and sizes.

    A directory is a run's, its `checkpoints`, or a checkpoint itself. Raises UsageError with the nearest names.
    """
    return tuple(_told(found) for found in _found(where))


def verify(where: str | Path) -> tuple[Checkpoint, ...]:
    """List them likewise, judged by every byte."""
    return tuple(_told(probe_checkpoint(found.directory, how="hashes")) for found in _found(where))


def diff(first: str | Path, second: str | Path) -> tuple[Compared, ...]:
    """Compare two checkpoints entry by entry. Each is a directory, `RUN@STEP`, or `RUN` for its newest sound one.

    Raises UsageError when there is no such checkpoint, UnhealthyError for a damaged one, UnsatisfiableError without
    torch.
    """
    directories = _sound_directory(first), _sound_directory(second)
    try:
        return tuple(compare_checkpoints(*directories))
    except ModuleNotFoundError as error:
        raise UnsatisfiableError(
            "comparing checkpoints",
            found=f"no Python module `{error.name}`",
            expected="the extra `train`, which reads tensors",
            hint="`ogai doctor` shows the command that brings it",
        ) from error


def _found(where: str | Path) -> tuple[Found, ...]:
    directory = _directory(where)
    if (directory / CHECKPOINTS).is_dir():
        return Shelf(directory / CHECKPOINTS).found()
    shelved = Shelf(directory).found()
    return shelved or _alone(directory)


def _alone(directory: Path) -> tuple[Found, ...]:
    found = probe_checkpoint(directory)
    return (found,) if found.manifest is not None or found.directory.name.startswith("step-") else ()


def _directory(where: str | Path) -> Path:
    try:
        return _named(where)
    except (OSError, RuntimeError) as error:  # a folder closed to us, a name too long; a `~` of nobody
        found = describe_os_error(error) if isinstance(error, OSError) else str(error).lower()
        raise UsageError(f"checkpoints of `{where}`", found=found, expected="a run or a directory") from error


def _named(where: str | Path) -> Path:
    """A run's directory, or the one named; a name without a slash is a run's before it is a folder's."""
    path = Path(where).expanduser()
    if isinstance(where, Path) or "/" in where or where in (".", ".."):
        if not path.is_dir():
            raise UsageError(str(where), found="no such directory", expected="a run or a directory")
        return path
    try:
        return Path(find_run(where, ogai_home(os.environ) / "runs").directory)
    except UsageError:
        if path.is_dir():
            return path
        raise


def _sound_directory(reference: str | Path) -> Path:
    """Name the directory of the checkpoint that is meant."""
    where, step = (reference, "") if isinstance(reference, Path) else _split(reference)
    choices = [found for found in _found(where) if found.state in ("sound", "damaged")]
    meant = [found for found in choices if step in ("", str(found.step))]
    if not meant:
        raise _unknown(str(reference), choices)
    sound = [found for found in meant if not found.fault]
    newest = probe_checkpoint(sound[-1].directory, how="hashes") if sound else meant[-1]
    if newest.fault:
        raise UnhealthyError(str(newest.directory), found=newest.fault, expected="a sound checkpoint")
    return newest.directory


def _split(reference: str) -> tuple[str, str]:
    """Part `RUN@STEP`; without a step it is the newest."""
    where, at, step = reference.rpartition("@")
    return (where, step) if at and step.isdecimal() else (reference, "")


def _unknown(reference: str, choices: list[Found]) -> UsageError:
    steps = [str(found.step) for found in choices]
    more = len(steps) - SHOWN
    older = f" and {more} older" if more > 0 else ""
    found = f"steps {', '.join(steps[-SHOWN:])}{older}" if steps else "no checkpoint"
    return UsageError(f"checkpoint `{reference}`", found=found, expected="a directory, RUN@STEP or RUN")


def _told(found: Found) -> Checkpoint:
    manifest = found.manifest
    return Checkpoint(
        step=found.step,
        tokens=manifest.tokens if manifest else None,
        saved_at=manifest.saved_at if manifest else None,
        size_bytes=found.size_bytes,
        world_size=manifest.world_size if manifest else None,
        run=manifest.run if manifest else None,
        state=found.state,
        fault=found.fault,
        directory=str(found.directory),
    )
