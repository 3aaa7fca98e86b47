"""The sections of one run."""

from collections.abc import Iterator

from l0_infra.core.documents import render_document
from l3_modeltools import Met, expectations
from l3_modeltools.schemas import Architecture, Run
from ogai.flows.train.report import RunReport
from ogai.render.moment import brief
from ogai.render.report import Block, Cell, Code, Column, Fact, Fold, Prose, Row, Section, Table
from ogai.render.train.detail import MET_NAMES, describe_training, quantity
from ogai.render.train.report.curves import loss_figure, optimizer_pair, speed_pair
from ogai.render.train.report.events import find_events
from ogai.render.train.report.faults import fault_blocks
from ogai.render.train.report.happened import checkpoint_blocks, time_blocks
from ogai.render.train.report.written import sample_blocks
from ogai.render.train.words import describe_work, loss, number

__all__ = ["describe_facts", "describe_lead", "run_sections"]

SHOWN_SKIPS = 20


def run_sections(report: RunReport, key: str, now: float) -> Iterator[Section]:
    """Yield what there is to say of a run, the curves first, what it was made of last."""
    yield Section(title="Learning", blocks=tuple(_learning(report, key)))
    if pair := speed_pair(report, key):
        yield Section(title="Speed", blocks=(pair,))
    if met := expectations(report.run, report.metrics):
        yield Section(title="Planned and measured", blocks=(_met_table(met),))
    yield Section(title="Where the time went", blocks=tuple(time_blocks(report)))
    if report.faults:
        yield Section(title="Faults", blocks=tuple(fault_blocks(report, key, now)))
    if report.samples:
        yield Section(title="What the model wrote", blocks=tuple(sample_blocks(report.samples)))
    if report.run.checkpoints:
        note = "what the run can be resumed from"
        yield Section(title="Checkpoints", note=note, blocks=tuple(checkpoint_blocks(report)))
    yield Section(title="Specification", blocks=tuple(_made_of(report.run)))


def describe_facts(report: RunReport) -> Iterator[Fact]:
    """Yield the few numbers that matter."""
    figures = report.run.figures
    yield Fact(name="Loss", value=loss(figures.loss), note="nats per token")
    if figures.validation_loss is not None:
        yield Fact(name="Validation loss", value=loss(figures.validation_loss), note="on held-out text")
    yield Fact(
        name="Tokens",
        value=number(figures.tokens),
        note=f"{report.run.step:,} step{'s' * (report.run.step != 1)}",
    )
    yield Fact(name="Speed", value=number(figures.tokens_per_s), note="tokens/s, median")
    if (share := report.shares[0].share) is not None:
        wanted_s = report.accounts.wall_s - report.accounts.spent_s["stopped"]
        yield Fact(name=report.shares[0].name, value=f"{100 * share:.0f} %", note=f"of {brief(wanted_s)}")
    restarts = len(report.run.restarts)
    yield Fact(
        name="Faults", value=f"{len(report.faults):,}", note=f"{restarts:,} restart{'s' * (restarts != 1)}"
    )


def describe_lead(run: Run, now: float) -> str:
    """Say in a line what was trained, how far it is after how long at work, and why it is where it is."""
    of_all = f" of {run.train.steps:,}" if run.train.steps else ""
    model = run.train.model
    named = (
        isinstance(model.architecture, Architecture) and model.architecture.name if model else run.train.name
    )
    where = run.cluster or "this machine"
    reason = f" {run.reason[:1].upper()}{run.reason[1:]}." if run.reason else ""
    work = f", at work {told}" if (told := describe_work(run.figures, now)) else ""
    return f"{named or run.train.name} on {where}, step {run.step:,}{of_all}{work}.{reason}"


def _met_table(met: tuple[Met, ...]) -> Table:
    """What the plan foretold, what came, and how far off it was."""
    return Table(
        columns=(
            Column(title=""),
            *(Column(title=name, style="number") for name in ("Planned", "Measured", "Error")),
        ),
        rows=tuple(
            Row(
                cells=(
                    Cell(text=MET_NAMES[one.what]),
                    Cell(text=quantity(one, one.planned)),
                    Cell(text=quantity(one, one.measured)),
                    Cell(text=f"{one.error:+.1%}"),
                )
            )
            for one in met
        ),
    )


def _learning(report: RunReport, key: str) -> Iterator[Block]:
    events = find_events(report)
    yield loss_figure(report, events, key) or Prose(text="No step is done yet.")
    if pair := optimizer_pair(report, events, key):
        yield pair


def _made_of(run: Run) -> Iterator[Block]:
    yield _names_and_values([*describe_training(run), ("directory", run.directory), *_skipped(run)])
    yield Fold(
        title="The whole document",
        note="as submitted, all filled in",
        blocks=(Code(text=render_document(run.train)),),
    )
    if run.environment:
        rows = [(name, version) for name, version in sorted(run.environment.items())]
        yield Fold(title="Environment", note="what it ran with", blocks=(_names_and_values(rows),))


def _skipped(run: Run) -> Iterator[tuple[str, str]]:
    if len(run.skipped) > SHOWN_SKIPS:
        steps = sum(skipped.last_step - skipped.first_step + 1 for skipped in run.skipped)
        yield "left out", f"{len(run.skipped):,} times, {steps:,} steps in all; the newest:"
    for skipped in run.skipped[-SHOWN_SKIPS:]:
        yield "left out", f"steps {skipped.first_step:,} to {skipped.last_step:,}: {skipped.reason}"


def _names_and_values(rows: list[tuple[str, str]]) -> Table:
    return Table(
        columns=(Column(title="", style="head"), Column(title="")),
        rows=tuple(Row(cells=(Cell(text=name), Cell(text=value))) for name, value in rows),
    )
