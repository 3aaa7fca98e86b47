"""What a proof says of itself, for a person and for the documentation."""

import os
import platform
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Proof", "render_markdown", "render_proof", "render_summary"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Proof:
    """One proof: what was done and how often, what was checked and how often, what did not hold."""

    name: str
    done: Mapping[str, int]
    checked: Mapping[str, int]
    violations: tuple[str, ...]
    skipped: tuple[str, ...] = ()
    seconds: float
    evidence: Path | None = None

    @property
    def verdict(self) -> str:
        return f"{len(self.violations)} VIOLATIONS" if self.violations else "holds"


def render_proof(proof: Proof) -> str:
    """Write one proof as text."""
    lines = [f"== {proof.name}", "done:"]
    lines += [f"  {count:7,}  {name}" for name, count in proof.done.items()]
    lines += ["checked:"]
    lines += [f"  {count:7,}  {name}" for name, count in proof.checked.items()]
    lines += [f"skipped: {text}" for text in proof.skipped]
    lines += [f"VIOLATED {text}" for text in proof.violations]
    lines += [f"{proof.name}: {proof.verdict}, {proof.seconds:.0f} s"]
    if proof.violations and proof.evidence:
        lines += [f"evidence: {proof.evidence}"]
    return "\n".join(lines)


def render_summary(proofs: Sequence[Proof], *, seed: int) -> str:
    """Write one line per proof, and what is needed to repeat them."""
    rows = [("proof", "events", "checks", "seconds", "verdict"), *map(row, proofs)]
    widths = [max(len(cells[column]) for cells in rows) for column in range(5)]
    table = [
        "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)) for cells in rows
    ]
    return "\n".join((*table, f"seed {seed}"))


def row(proof: Proof) -> tuple[str, str, str, str, str]:
    done, checked = sum(proof.done.values()), sum(proof.checked.values())
    return proof.name, f"{done:,}", f"{checked:,}", f"{proof.seconds:.0f}", proof.verdict


def render_markdown(proofs: Sequence[Proof], *, seed: int, command: str) -> str:
    """Write the summary and every count as a page."""
    machine = (
        f"{platform.system()} {platform.release()}, {os.cpu_count()} CPUs, Python {platform.python_version()}"
    )
    lines = [
        "# Proofs",
        "",
        f"Made by `{command}` (seed {seed}) on {time.strftime('%F')}, {machine}.",
        "",
        *markdown_table(("proof", "events", "checks", "seconds", "verdict"), map(row, proofs)),
    ]
    for proof in proofs:
        lines += ["", f"## {proof.name}", ""]
        lines += markdown_table(("done", "times"), ((name, f"{n:,}") for name, n in proof.done.items()))
        lines += [
            "",
            *markdown_table(("checked", "times"), ((name, f"{n:,}") for name, n in proof.checked.items())),
        ]
        lines += ["", *(f"- {text}" for text in proof.skipped)] if proof.skipped else []
        lines += ["", *(f"- **violated**: {text}" for text in proof.violations)] if proof.violations else []
    return "\n".join(lines) + "\n"


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    body = [f"| {' | '.join(cells)} |" for cells in rows]
    return [f"| {' | '.join(head)} |", "|" + " --- |" * len(head), *body]
