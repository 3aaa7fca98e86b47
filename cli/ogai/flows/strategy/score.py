"""Set the cost model beside measured runs, and fit it to them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from l0_infra.core.documents import read_document, render_document
from l0_infra.core.errors import FactsMissingError, UsageError
from l0_infra.core.units import format_count
from l3_modeltools import (
    DatasetScore,
    Lesson,
    MeasuredRun,
    Scored,
    fit_calibration,
    lesson_of,
    load_calibration,
    read_runs,
    score_datasets,
    score_runs,
)
from l3_modeltools.schemas import Calibration
from ogai.flows.named_file import refuse_no_folder, save_named
from ogai.flows.strategy.sheets import sheets_for

__all__ = ["Score", "calibrate", "raise_for_unmeasured", "score"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Score:
    """How the model does on each data set, and run by run."""

    calibration: str
    datasets: tuple[DatasetScore, ...]
    runs: tuple[Scored, ...]


def score(file: Path, *, calibration: Path | None = None) -> Score:
    """Predict the runs of a table and compare.

    Raises DocumentError for a table that cannot be read, UsageError for an accelerator without a data sheet.
    """
    figures = load_calibration() if calibration is None else read_document(calibration, expect=Calibration)
    runs = read_runs(file)
    scored = score_runs(runs, sheets_for(run.device for run in runs), figures)
    return Score(calibration=figures.name, datasets=score_datasets(scored), runs=scored)


def raise_for_unmeasured(found: Score) -> None:
    """Raise FactsMissingError when no run of the table was measured: nothing was compared."""
    if all(one.time is None and one.memory is None for one in found.datasets):
        raise FactsMissingError(
            "ogai strategy score",
            found="no run of which time or memory is told",
            expected="`iter_s`, `tokens_per_s_per_gpu` or `peak_mem_gib` of one at least",
        )


def calibrate(
    file: Path,
    *,
    to: Path,
    name: str,
    datasets: Sequence[str] = (),
    devices: Sequence[str] = (),
    tell: Callable[[str], None] = lambda text: None,
) -> Calibration:
    """Fit to the runs of a table, or of some data sets and devices of it, and write the calibration.

    `tell` takes a warning where the runs are too few for what they touch, and the figures that they do not touch.
    Raises UsageError when nothing of the table is meant, UnsatisfiableError where none of its runs can be priced.
    """
    refuse_no_folder(to)
    runs = read_runs(file)
    chosen = [run for run in runs if _meant(run, datasets, devices)]
    if not chosen:
        known = ", ".join(sorted({f"{run.dataset} on {run.device}" for run in runs}))
        raise UsageError(
            str(file), found="no run of those data sets and devices", expected=f"some of {known}"
        )
    sheets, start = sheets_for(run.device for run in chosen), load_calibration()
    lesson = lesson_of(chosen, sheets, start)
    for text in _remarks(lesson, start):
        tell(text)
    fitted = fit_calibration(lesson, sheets, start, name=name)
    save_named(to, render_document(fitted))
    return fitted


def _remarks(lesson: Lesson, start: Calibration) -> Iterator[str]:
    """Say what the runs cannot settle."""
    rows, kinds = format_count(len(lesson.runs), "run"), format_count(lesson.kinds, "kind")
    if not lesson.enough:
        yield (
            f"warning: {rows} of {kinds} cannot settle the {len(lesson.touched)} figures that they touch: each moves"
            f" a little, together they fit, and other runs may be foretold worse than by `{start.name}`;"
            f" as many kinds as figures would do (other models, micro batches, degrees, numbers of accelerators)"
        )
    if lesson.untouched:
        yield f"touched by no run, and kept as in `{start.name}`: {', '.join(lesson.untouched)}"


def _meant(run: MeasuredRun, datasets: Sequence[str], devices: Sequence[str]) -> bool:
    return (not datasets or run.dataset in datasets) and (
        not devices or any(run.device.casefold().startswith(one.casefold()) for one in devices)
    )
