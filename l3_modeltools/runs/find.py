"""Which run a person means by a word: its id, the start of one, or the name of its training."""

from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

from l0_infra.core.errors import UnhealthyError, UsageError
from l3_modeltools.runs.store import scan_runs
from l3_modeltools.schemas import Run

__all__ = ["choose_run", "find_run"]

SHOWN = 5


def find_run(reference: str, folder: Path) -> Run:
    """Read the run of `folder` that `reference` means, as `choose_run` does; UnhealthyError for one that is damaged."""
    found = scan_runs(folder)
    for damaged in found.damaged:
        if damaged.directory.name == reference:
            raise UnhealthyError(
                f"run {reference}",
                found=f"a run.json that cannot be read ({damaged.reason})",
                expected="a whole one; its checkpoints are untouched",
            )
    return choose_run(reference, found.runs)


def choose_run(reference: str, runs: Sequence[Run]) -> Run:
    """Return the run with this id; else the newest of that name; else the newest of the one name it begins.

    `runs` are ordered, the oldest first. Raises UsageError with the nearest names when none or several are meant.
    """
    if exact := [run for run in runs if run.run_id == reference]:
        return exact[0]
    if named := [run for run in runs if run.train.name == reference]:
        return named[-1]
    begun = [run for run in runs if reference and run.run_id.startswith(reference)]
    if len({run.train.name for run in begun}) == 1:
        return begun[-1]
    raise _refusal(reference, begun, runs)


def _refusal(reference: str, begun: Sequence[Run], runs: Sequence[Run]) -> UsageError:
    expected = "the id of a run, its beginning, or the name of a training"
    if begun:
        found = f"the beginning of {_listed([run.run_id for run in begun])}"
        return UsageError(f"run `{reference}`", found=found, expected=expected, hint="write more of the id")
    names = dict.fromkeys(name for run in reversed(runs) for name in (run.run_id, run.train.name))
    close = get_close_matches(reference, names, n=3, cutoff=0.5)
    listed = "`ogai train list` names the runs" if runs else "the first: ogai train submit train.yaml"
    hint = f"did you mean {' or '.join(f'`{name}`' for name in close)}?" if close else listed
    found = "none of that id or name" if runs else "no runs at all"
    return UsageError(f"run `{reference}`", found=found, expected=expected, hint=hint)


def _listed(ids: Sequence[str]) -> str:
    rest = f" and {len(ids) - SHOWN} more" if len(ids) > SHOWN else ""
    return ", ".join(f"`{run_id}`" for run_id in ids[:SHOWN]) + rest
