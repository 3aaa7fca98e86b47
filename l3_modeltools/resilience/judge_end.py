"""What the end of one rank looks like on its own."""

import signal
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from l3_modeltools.resilience.catalogue import STANDINGS, Catalogue, Match
from l3_modeltools.resilience.ends import End, LastWord
from l3_modeltools.resilience.reading import read_log
from l3_modeltools.resilience.words import first_words
from l3_modeltools.schemas import FaultAction, FaultClass, Standing

__all__ = ["JudgedEnd", "judge_end"]

SIGNALS = {int(number): number.name for number in signal.Signals}
WHY = {
    "SIGSEGV": "native code touched memory it may not",
    "SIGBUS": "memory could not be had; /dev/shm is full, or a device failed",
    "SIGABRT": "native code gave up",
    "SIGILL": "native code used an instruction that this processor does not have",
    "SIGFPE": "native code divided by zero",
}
FROM_OUTSIDE = ("SIGKILL", "SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGXCPU")
NEVER_AGAIN = {126: "the program cannot be executed", 127: "there is no such program"}


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgedEnd:
    """How one rank ended, how likely it is the root, and by what it is known."""

    end: End
    fault_class: FaultClass
    advised: FaultAction
    standing: Standing
    did: str
    """What can follow `rank 1 ` or `ranks 0 and 1 `: `failed with ValueError: no such key`."""
    why: str = ""
    alike: str
    """The same for ends of the same kind, whatever they say in numbers."""
    match: Match | None = None


def judge_end(end: End, catalogue: Catalogue) -> JudgedEnd:
    """Judge one end by its last word, its signal, its log or its exit code, the first that there is."""
    if end.word is not None:
        return judge_word(end, end.word, catalogue)
    if (name := signal_name(end.exit_code)) is not None:
        return judge_signal(end, name, catalogue)
    return judge_code(end, catalogue)


def judge_word(end: End, word: LastWord, catalogue: Catalogue) -> JudgedEnd:
    """Judge an end that the rank has spoken of itself."""
    if word.kind == "peer_lost":
        return JudgedEnd(
            end=end,
            fault_class="crash",
            advised="restart_worker",
            standing="symptom",
            did="lost a peer",
            alike="peer_lost",
        )
    said = ": ".join(filter(None, (word.exception, word.text)))
    match = best_match(catalogue, [said, *told_lines(word.traceback)], end.log)
    return JudgedEnd(
        end=end,
        fault_class=match.error.fault_class if match else "crash",
        advised="give_up" if not word.retry else match.error.advised if match else "restart_worker",
        standing=match.error.standing if match else "cause",
        did=f"failed with {first_words(said)}" if said else f"ended with exit code {word.exit_code}",
        alike=f"{word.exception or word.exit_code} {match.error.name if match else word.section}",
        match=match,
    )


def best_match(catalogue: Catalogue, said: Sequence[str], log: Sequence[str]) -> Match | None:
    """Recognise what a rank said; where that is a symptom or too general, its log may know the cause.

    What is not recognised at all stands for itself: an older line of the log must not explain it.
    """
    match = catalogue.match(said)
    if match is None or match.error.standing == "cause":
        return match
    return min(
        (match, *read_log(log, catalogue).matches[:1]), key=lambda one: STANDINGS.index(one.error.standing)
    )


def told_lines(traceback: str) -> Iterable[str]:
    """Return the lines of a traceback that tell an exception; the others quote the program."""
    return (line for line in traceback.splitlines() if not line.startswith((" ", "Traceback")))


def judge_signal(end: End, name: str, catalogue: Catalogue) -> JudgedEnd:
    """Judge an end by a signal; a log tells nothing of one that came from outside."""
    outside = name in FROM_OUTSIDE
    match = None if outside else next(iter(read_log(end.log, catalogue).matches), None)
    return JudgedEnd(
        end=end,
        fault_class="killed" if outside else match.error.fault_class if match else "crash",
        advised=match.error.advised if match else "restart_worker",
        standing=match.error.standing if match else "cause",
        did=f"was killed by {name} from outside" if outside else f"was ended by {name}",
        why=first_words(match.line) if match else WHY.get(name, ""),
        alike=name,
        match=match,
    )


def judge_code(end: End, catalogue: Catalogue) -> JudgedEnd:
    """Judge an end of which only the exit code and the log are known."""
    reading = read_log(end.log, catalogue)
    match, own = reading.match, reading.own
    never_again = NEVER_AGAIN.get(end.exit_code)
    told = str(own) if own else match.line if match else never_again or ""
    return JudgedEnd(
        end=end,
        fault_class=match.error.fault_class if match else "crash",
        advised=match.error.advised if match else "give_up" if never_again else "restart_worker",
        standing=match.error.standing if match else "cause",
        did=f"ended with exit code {end.exit_code}",
        why=first_words(told),
        alike=f"{end.exit_code} {own.kind if own else match.error.name if match else ''}",
        match=match,
    )


def signal_name(exit_code: int) -> str | None:
    """Name the signal of an exit code, also of a shell's 128 + signal."""
    return SIGNALS.get(-exit_code if exit_code < 0 else exit_code - 128)
