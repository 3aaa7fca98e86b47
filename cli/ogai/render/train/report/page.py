"""The whole report: of one run, or of several side by side with the pages of each folded below."""

from collections.abc import Iterator, Mapping
from time import localtime, strftime

from l3_modeltools.schemas import RunState
from ogai.flows.train.report import Gathered, RunReport
from ogai.render.report import Block, Facts, Fold, Heading, Page, Prose, Section, Status, Tone, series_tone
from ogai.render.train.report.overlaid import curve_blocks, difference_blocks, outcome_blocks
from ogai.render.train.report.single import describe_facts, describe_lead, run_sections
from ogai.render.train.words import loss
from ogai.version import __version__

__all__ = ["report_page"]

TONES: Mapping[RunState, Tone] = {
    "PENDING": "muted",
    "RUNNING": "accent",
    "SUSPENDED": "warn",
    "COMPLETED": "good",
    "FAILED": "bad",
    "CANCELLED": "muted",
}


def report_page(gathered: Gathered) -> Page:
    """Compose the report. Raises ModuleNotFoundError where matplotlib is not installed."""
    reports = gathered.reports
    return _of_one(reports[0], gathered.at) if len(reports) == 1 else _of_several(gathered)


def _of_one(report: RunReport, now: float) -> Page:
    run = report.run
    return Page(
        kicker="Training run",
        title=run.run_id,
        status=Status(word=run.state.lower(), tone=TONES[run.state]),
        lead=describe_lead(run, now),
        facts=tuple(describe_facts(report)),
        sections=tuple(run_sections(report, "r0", now)),
        foot=_foot(now),
    )


def _of_several(gathered: Gathered) -> Page:
    comparison = gathered.comparison
    return Page(
        kicker="Training runs compared",
        title=f"{len(gathered.reports)} runs",
        lead=", ".join(report.run.run_id for report in gathered.reports),
        sections=(
            Section(title="Learning", blocks=tuple(curve_blocks(gathered.reports))),
            Section(title="What came of each", blocks=tuple(outcome_blocks(comparison))),
            Section(title="What was wished differently", blocks=tuple(difference_blocks(comparison))),
            Section(title="Each run", blocks=tuple(_folds(gathered))),
        ),
        foot=_foot(gathered.at),
    )


def _folds(gathered: Gathered) -> Iterator[Block]:
    for index, report in enumerate(gathered.reports):
        yield Fold(
            title=report.run.run_id,
            note=f"{report.run.state.lower()}, loss {loss(report.run.figures.loss)}",
            tone=series_tone(index),
            blocks=tuple(_flattened(report, f"r{index}", gathered.at)),
        )


def _flattened(report: RunReport, key: str, now: float) -> Iterator[Block]:
    yield Prose(text=describe_lead(report.run, now))
    yield Facts(facts=tuple(describe_facts(report)))
    for section in run_sections(report, key, now):
        yield Heading(text=section.title)
        yield from section.blocks


def _foot(now: float) -> str:
    return f"Made by ogai {__version__} on {strftime('%Y-%m-%d at %H:%M', localtime(now))}."
