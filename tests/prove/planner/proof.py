"""The proof `planner`: laws of what a strategy costs, searches, translations, wrong inputs, kills while writing."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from traceback import format_exception

from drills.ledger import Ledger
from planner.cases import random_case
from planner.fuzz import COMMANDS, try_command
from planner.kills import blow, writers
from planner.laws import LAWS
from planner.searches import found_is_best, more_memory_helps
from planner.translations import FRAMEWORKS, comes_back
from report import Proof

__all__ = ["Sizes", "prove_planner"]

SHOWN = 20
"""Violations of one kind that are told; the others are counted."""

BEST = "the search finds the best of all strategies that it offers"
MORE = "more memory makes nothing infeasible and nothing slower"
BACK = "a strategy comes back from {}, or what is lost is named"
TAKEN = "`strategy {}` takes what is wrong: no traceback, a reason, little time and memory"
WHOLE = "`strategy {}` killed: the old file or the new one, and it works again"


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """How much is done."""

    cases: int
    """Random strategies, each put to every law and framework."""
    searches: int
    inputs: int
    """Wrong ones, of each command."""
    kills: int
    """Of each command."""


def prove_planner(sizes: Sizes, *, seed: int, evidence: Path) -> Proof:
    """Draw cases, search spaces, wrong inputs and moments of kills by the seed, and look at each."""
    begun, home, ledger = time.monotonic(), evidence / "planner", Ledger()
    home.mkdir()
    _put_to_laws(sizes.cases, seed, ledger)
    _search(sizes.searches, seed, ledger)
    _give_wrong_inputs(sizes.inputs, seed, home, ledger)
    _kill(sizes.kills, seed, home, ledger)
    return Proof(
        name="planner",
        done=dict(ledger.done),
        checked=dict(ledger.checked),
        violations=tuple(ledger.violations),
        seconds=time.monotonic() - begun,
        evidence=evidence,
    )


def _put_to_laws(cases: int, seed: int, ledger: Ledger) -> None:
    for number in range(cases):
        case = random_case(Random(f"{seed}-case-{number}"))
        ledger.done["random strategies"] += 1
        for name, law in LAWS.items():
            found = _tried(lambda random: law(case, random), f"{seed}-{number}-{name}")  # noqa: B023
            _note(ledger, name, [f"case {number}: {text} {case}" for text in found])
        for framework in FRAMEWORKS:
            found = _tried(
                lambda random: comes_back(case.strategy, framework, random),  # noqa: B023
                f"{seed}-{number}-{framework}",
            )
            _note(ledger, BACK.format(framework), [f"case {number}: {text} {case}" for text in found])


def _search(searches: int, seed: int, ledger: Ledger) -> None:
    for name, law in ((BEST, found_is_best), (MORE, more_memory_helps)):
        for number in range(searches):
            ledger.done["random searches"] += 1
            found = _tried(law, f"{seed}-{law.__name__}-{number}")
            _note(ledger, name, [f"search {number}: {text}" for text in found])


def _give_wrong_inputs(inputs: int, seed: int, home: Path, ledger: Ledger) -> None:
    folder = home / "given"
    folder.mkdir()
    for command in COMMANDS:
        for number in range(inputs):
            tried = try_command(command, Random(f"{seed}-{command}-{number}"), folder)
            ledger.done[f"wrong inputs of {command}: exit code {tried.said.code}"] += 1
            if tried.wrong:
                (home / f"{command}-{number}").write_bytes(tried.given)
            told = [f"input {number}, {' '.join(tried.words)[:300]}: {text}" for text in tried.wrong]
            _note(ledger, TAKEN.format(command), told)


def _kill(kills: int, seed: int, home: Path, ledger: Ledger) -> None:
    if not kills:
        return
    for name, writer in writers(home / "kills").items():
        for number in range(kills):
            killed, found = blow(writer, Random(f"{seed}-kill-{name}-{number}"))
            ledger.done[f"kill -9 of {name}" if killed else f"{name} that had ended before its kill"] += 1
            _note(ledger, WHOLE.format(name), found)


def _tried(law: Callable[[Random], Iterator[str]], seed: str) -> list[str]:
    try:
        return list(law(Random(seed)))
    except Exception as error:  # noqa: BLE001  a law that cannot be worked out does not hold
        return ["".join(format_exception(error))[-1500:]]


def _note(ledger: Ledger, name: str, found: list[str]) -> None:
    """Note a check; of what is violated again and again only the first ones are told."""
    told = sum(text.startswith(f"{name}: ") for text in ledger.violations)
    ledger.check(name, found[: max(0, SHOWN - told)])
