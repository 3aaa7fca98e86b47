"""`ogai train faults`: a table of a run's faults, one fault in detail, the meaning of a log."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from l0_infra.core.units import format_count
from l3_modeltools import Meaning
from l3_modeltools.schemas import Evidence, FaultClass, KnownError, Suspect, TrainingFault
from ogai.render.moment import brief, local_time
from ogai.render.table import Column, print_fields, print_table
from ogai.render.train.words import done

__all__ = ["print_fault", "print_faults", "print_meaning"]

MISSING = "-"
TEXTUAL = ("crash", "unknown")
"""Classes that a text could tell more of; the others stand for themselves."""

ELSEWHERE = "if it failed all the same: the logs of its other ranks, `dmesg`, and what started it may say why"

Field = tuple[str, str]


def print_faults(faults: Sequence[TrainingFault], now: float) -> None:
    """Print one line a fault on stdout."""
    print_table(
        (
            Column[TrainingFault](title="#", value=lambda fault: str(fault.fault_id), align="right"),
            Column[TrainingFault](title="WHEN", value=lambda fault: local_time(began(fault), now)),
            Column[TrainingFault](title="STEP", value=lambda fault: number(fault.step), align="right"),
            Column[TrainingFault](title="CLASS", value=lambda fault: fault.fault_class),
            Column[TrainingFault](title="WHO", value=describe_suspects),
            Column[TrainingFault](title="DONE", value=lambda fault: done(fault.taken)),
            Column[TrainingFault](title="DETECTED", value=describe_detection, align="right"),
            Column[TrainingFault](title="RESUMED", value=describe_resumption, align="right"),
            Column[TrainingFault](
                title="REDONE", value=lambda fault: number(fault.redone_steps), align="right"
            ),
            Column[TrainingFault](title="WHAT", value=lambda fault: fault.summary or MISSING),
        ),
        faults,
    )


def print_fault(fault: TrainingFault, known: KnownError | None, own_errors: Path, now: float) -> None:
    """Print everything about a fault on stdout; `own_errors` is where a person describes unknown ones."""
    print_fields(
        [*describe_fault(fault, now), *describe_known(known, own_errors, teachable=is_teachable(fault))]
    )


def print_meaning(meaning: Meaning, own_errors: Path) -> None:
    """Print what a log means on stdout; where nothing in it looks like a fault, where else to look on stderr."""
    if meaning.fault_class is None:
        click.echo(describe_calm(meaning))
        click.echo(ELSEWHERE, err=True)
        return
    known = describe_known(meaning.error, own_errors, teachable=meaning.fault_class in TEXTUAL)
    print_fields([*describe_meaning(meaning, meaning.fault_class), *known])


def describe_fault(fault: TrainingFault, now: float) -> Iterator[Field]:
    """Say what happened, where, who, by what it is known, what was done."""
    yield f"Fault {fault.fault_id}", fault.summary or fault.fault_class
    yield "class", fault.fault_class
    yield "when", describe_when(fault, now)
    yield "suspects", describe_suspects(fault)
    for entry in fault.evidence:
        yield entry.source.replace("_", " "), describe_evidence(entry)
    yield "detected", f"after {describe_detection(fault)}" if fault.occurred_at is not None else MISSING
    yield "advised", words(fault.advised)
    yield "done", done(fault.taken)
    if fault.resumed_at is not None:
        redone = f", {format_count(fault.redone_steps, 'step')} done again" if fault.redone_steps else ""
        yield "resumed", f"after {describe_resumption(fault)}{redone}"


def describe_calm(meaning: Meaning) -> str:
    """Say in how many lines nothing looks like a fault."""
    if not meaning.lines_read:
        return "the log is empty"
    lines = f"{meaning.lines_read:,} lines" if meaning.lines_read > 1 else "1 line"
    if meaning.lines_before:
        lines = f"the last {meaning.lines_read:,} of {meaning.lines_before + meaning.lines_read:,} lines"
    return f"nothing in {lines} looks like a fault"


def describe_meaning(meaning: Meaning, fault_class: FaultClass) -> Iterator[Field]:
    """Say the class, and by which line it is known."""
    yield "Class", fault_class
    if meaning.line_number is not None:
        yield f"line {meaning.line_number}", meaning.line
    yield "advised", words(meaning.advised)
    if meaning.also:
        yield "also there", ", ".join(meaning.also)


def is_teachable(fault: TrainingFault) -> bool:
    """Whether there was a text by which a fault like this could be known from now on."""
    texts = any(seen.source == "log" for seen in fault.evidence)
    return fault.fault_class == "crash" or (fault.fault_class == "unknown" and texts)


def describe_known(known: KnownError | None, own_errors: Path, *, teachable: bool) -> Iterator[Field]:
    """Say what a known error means and what to do; of an unknown one with a text, how to make it known."""
    if known is not None:
        yield "known as", known.name
        yield "means", known.explanation
        yield "hint", known.hint
        if known.source:
            yield "source", known.source
    elif teachable:
        yield "known as", "nothing that is known"
        yield "to teach it", f"describe it in {own_errors}; `ogai schema example error_catalogue` shows how"


def describe_when(fault: TrainingFault, now: float) -> str:
    """Write `18:33:01, step 12, in forward and backward`."""
    step = f", step {fault.step}" if fault.step is not None else ""
    section = f", in {fault.section.replace('_', ' and ')}" if fault.section is not None else ""
    return f"{local_time(began(fault), now)}{step}{section}"


def describe_evidence(entry: Evidence) -> str:
    """Write `rank 1: in data of step 57 for 30.1 s`, and nothing twice."""
    whose = f"rank {entry.rank}"
    return entry.text if entry.rank is None or entry.text.startswith(whose) else f"{whose}: {entry.text}"


def describe_suspects(fault: TrainingFault) -> str:
    """Write `rank 1 on n1`, or `-` for nobody."""
    return ", ".join(map(describe_suspect, fault.suspects)) or MISSING


def describe_suspect(suspect: Suspect) -> str:
    rank = f"rank {suspect.rank}" if suspect.rank is not None else ""
    node = f"on {suspect.node}" if suspect.node is not None else ""
    return " ".join(filter(None, (rank, node, suspect.device)))


def describe_detection(fault: TrainingFault) -> str:
    """Write how long after its beginning it was noticed."""
    return brief(fault.detected_at - fault.occurred_at) if fault.occurred_at is not None else MISSING


def describe_resumption(fault: TrainingFault) -> str:
    """Write how long after its beginning the first new step was done."""
    return brief(fault.resumed_at - began(fault)) if fault.resumed_at is not None else MISSING


def began(fault: TrainingFault) -> float:
    return fault.occurred_at if fault.occurred_at is not None else fault.detected_at


def words(action: str | None) -> str:
    return action.replace("_", " ") if action is not None else MISSING


def number(value: int | None) -> str:
    return str(value) if value is not None else MISSING
