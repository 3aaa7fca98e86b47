"""Where runs are kept: one directory each, named by its id, true as soon as its `run.json` is there."""

import fcntl
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec

from l0_infra.core.documents import read_document, render_json
from l0_infra.core.errors import DocumentError, MachineError, describe_os_error
from l0_infra.core.store import save_file
from l3_modeltools.runs.layout import RunLayout
from l3_modeltools.schemas import Expected, Run, Train

__all__ = [
    "DamagedRun",
    "RunsFound",
    "create_run",
    "hold_run",
    "list_runs",
    "load_run",
    "scan_runs",
    "update_run",
]

LONGEST_ID = 64
"""As `Name` allows."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DamagedRun:
    """A directory whose `run.json` cannot be read, and why."""

    directory: Path
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class RunsFound:
    """All runs of a folder, the oldest first; directories that never got their `run.json` are left out."""

    runs: tuple[Run, ...]
    damaged: tuple[DamagedRun, ...]


def create_run(
    folder: Path,
    train: Train,
    *,
    submitted_at: float,
    cluster: str | None = None,
    inputs: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
    expected: Expected | None = None,
) -> Run:
    """Make a directory in `folder` for a new run of `train`, save its document there and return it.

    The id is `<name>-<n>` with a number above all that were used; several processes may create at once. A creator
    that dies half-way leaves a directory without `run.json`, which keeps its number and is otherwise ignored.
    `submitted_at` is in seconds since the epoch. Raises MachineError when the folder cannot be written.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        directory = _claim(folder.absolute(), train.name)
        run = Run(
            run_id=directory.name,
            train=train,
            cluster=cluster,
            directory=str(directory),
            inputs=tuple(inputs),
            expected=expected,
            submitted_at=submitted_at,
            environment=dict(environment or {}),
        )
        _save(directory, run)
    except OSError as error:
        raise _refusal(folder, error) from error
    return run


def load_run(directory: Path) -> Run:
    """Read the run that lies in `directory`; raises DocumentError when it is absent or damaged.

    Its `directory` is where it lies now, wherever it was made.
    """
    run = read_document(RunLayout(directory).document, expect=Run)
    return msgspec.structs.replace(run, directory=str(directory.absolute()))


def scan_runs(folder: Path) -> RunsFound:
    """Read every run of `folder`; one that is damaged hides no other."""
    runs, damaged = [], []
    for directory in _directories(folder):
        if not RunLayout(directory).document.is_file():
            continue
        try:
            runs.append(load_run(directory))
        except DocumentError as error:
            damaged.append(DamagedRun(directory=directory, reason=str(error)))
    runs.sort(key=lambda run: (run.submitted_at, run.run_id))
    return RunsFound(runs=tuple(runs), damaged=tuple(damaged))


def list_runs(folder: Path) -> tuple[Run, ...]:
    """Read the runs of `folder` that can be read, the oldest first."""
    return scan_runs(folder).runs


def update_run(directory: Path, change: Callable[[Run], Run]) -> Run:
    """Replace the run in `directory` by what `change` makes of it; changes of several processes follow each other.

    Raises DocumentError when it cannot be read, MachineError when it cannot be written.
    """
    try:
        with _locked(RunLayout(directory).lock):
            run = change(load_run(directory))
            _save(directory, run)
    except OSError as error:
        raise _refusal(directory, error) from error
    return run


@contextmanager
def hold_run(directory: Path) -> Iterator[None]:
    """Let nobody else queue the run in `directory` meanwhile, so that never two jobs train in it; others wait.

    Raises MachineError when it cannot be written.
    """
    with ExitStack() as stack:
        try:
            stack.enter_context(_locked(RunLayout(directory).queue_lock))
        except OSError as error:
            raise _refusal(directory, error) from error
        yield


def _claim(folder: Path, name: str) -> Path:
    """Make the first directory `<name>-<n>` whose number is above all there are."""
    number = max((_number(directory.name, name) for directory in _directories(folder)), default=0)
    while True:
        number += 1
        directory = folder / _run_id(name, number)
        try:
            directory.mkdir(mode=0o700)
        except FileExistsError:
            continue
        return directory


def _run_id(name: str, number: int) -> str:
    return f"{name[: LONGEST_ID - 1 - len(str(number))]}-{number}"


def _number(run_id: str, name: str) -> int:
    """Return the number in an id of a run of `name`; 0 for another's."""
    match = re.fullmatch(r".+-([1-9][0-9]{0,8})", run_id)
    return int(match[1]) if match and _run_id(name, int(match[1])) == run_id else 0


def _directories(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            return [folder / entry.name for entry in entries if entry.is_dir()]
    except FileNotFoundError:
        return []


def _save(directory: Path, run: Run) -> None:
    save_file(RunLayout(directory).document, render_json(run).encode())


@contextmanager
def _locked(file: Path) -> Iterator[None]:
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _refusal(place: Path, error: OSError) -> MachineError:
    return MachineError(
        str(place), found=describe_os_error(error), expected="a folder that can be written", retry=True
    )
