"""A run of the vendor's test of collectives on a node: how it is asked for, and what is to be thought of its end."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal

from l0_infra.core.exec import Command, Outcome
from l0_infra.core.units import format_bytes, format_count
from l1_podsys.gates.perf_table import PerfRow, PerfTable, parse_perf

__all__ = ["Conclusion", "PerfRun", "across_command", "conclude", "read_run", "within_command"]

WITHIN_S = 300.0
ACROSS_S = 420.0
LARGEST = 2
"""How many of the largest sizes tell the bandwidth; smaller ones tell latency."""
SIGNALS = 128
"""A shell's exit code for a program that a signal ended lies above it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PerfRun:
    """What one run said; without a `program` the node has none, if it was `heard` at all.

    `late`: it had not ended when its time was over.
    """

    heard: bool = True
    program: str = ""
    mpi: str = ""
    """The program that can run across nodes."""
    launchers: tuple[str, ...] = ()
    output: str = ""
    exit_code: int | None = None
    late: bool = False
    unstarted: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Conclusion:
    """What a run shows: `well` with bandwidths of the bus in bytes a second, else why not."""

    kind: Literal["well", "wrong", "failed", "unknown"]
    speeds: tuple[float, ...] = ()
    words: str = ""


def within_command(vendor: str, count: int, place: str) -> Command:
    """Find the program on a node and run it among the node's own accelerators."""
    return Command.script(_script(), vendor, str(count), place, deadline_s=WITHIN_S)


def across_command(argv: Sequence[str]) -> Command:
    """Run a launcher with the program, where it was found."""
    return Command.script(_script(), "-", *argv, deadline_s=ACROSS_S)


def _script() -> str:
    return files(__package__).joinpath("collective.sh").read_text("utf-8")


def read_run(outcome: Outcome) -> PerfRun:
    """Read what collective.sh printed, also when it was cut off."""
    head, _, output = outcome.stdout.partition("== output\n")
    told = [line.removeprefix("== ").partition(" ") for line in head.splitlines() if line.startswith("== ")]
    values = {name: value for name, _, value in told}
    body, _, code = output.rpartition("\n== exit ")
    code = code.strip()
    ended = code.isdecimal()
    return PerfRun(
        heard=bool({"none", "program"} & set(values)),
        program=values.get("program", ""),
        mpi=values.get("mpi", ""),
        launchers=tuple(value for name, _, value in told if name == "launcher"),
        output=body if ended else output,
        exit_code=int(code) if ended else None,
        late=outcome.ended_by == "deadline",
        unstarted=values.get("unstarted", ""),
    )


def conclude(run: PerfRun, ranks: int) -> Conclusion:
    """Judge a run of so many accelerators. Nothing that was cut off, not looked at or never begun is a pass."""
    table = parse_perf(run.output, ranks)
    wrong = _wrong(table)
    if wrong:
        return Conclusion(kind="wrong", words=wrong)
    begun = bool(table.rows)
    if table.failures:
        return Conclusion(kind="failed", words=table.failures[0])
    if run.late:
        return Conclusion(kind="failed", words=f"no end {_reached(table.rows)}")
    if begun and run.exit_code:
        return Conclusion(kind="failed", words=f"{_ended(run.exit_code)} {_reached(table.rows)}")
    unknown = _unknown(run, table)
    if unknown:
        return Conclusion(kind="unknown", words=unknown)
    largest = sorted(table.rows, key=lambda row: row.size_bytes)[-LARGEST:]
    speeds = tuple(one for row in largest for one in row.bus)
    if not speeds and ranks > 1:
        return Conclusion(kind="unknown", words="it told no bandwidth")
    return Conclusion(kind="well", speeds=speeds)


def _wrong(table: PerfTable) -> str:
    bad = [row for row in table.rows if row.wrong]
    if bad:
        sizes = format_count(len(bad), "size")
        return f"wrong values at {sizes}, the smallest of {format_bytes(bad[0].size_bytes)}"
    return f"wrong values: {format_count(table.wrong, 'value')} out of bounds" if table.wrong else ""


def _unknown(run: PerfRun, table: PerfTable) -> str:
    """Say why a run that did not fail shows nothing; empty when it does."""
    if run.unstarted:
        return run.unstarted
    if not table.rows:
        lines = [line.strip() for line in run.output.splitlines() if line.strip()]
        return f"it did not begin: {lines[-1][:200] if lines else 'it printed nothing'}"
    if run.exit_code is None or not table.closed:
        return f"its answer was cut off {_reached(table.rows)}"
    if all(row.wrong is None for row in table.rows):
        return "its results were not looked at"
    return ""


def _reached(rows: Sequence[PerfRow]) -> str:
    return f"after {format_bytes(rows[-1].size_bytes)}" if rows else "before any size was done"


def _ended(code: int) -> str:
    return f"ended by signal {code - SIGNALS}" if code > SIGNALS else f"ended with exit code {code}"
