"""What a person who typed it wrong most likely meant, as data and one pure function."""

import shlex
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Protocol

__all__ = ["WRONG_USES", "Grammar", "command_path", "correct", "spelled"]

WRONG_USES: tuple[tuple[str, str, str], ...] = (
    # typed, meant (what follows goes to `{}`, else to the end), what to show when nothing follows
    ("jobs", "job", ""),
    ("submit", "job submit", "JOB.yaml"),
    ("run", "job submit", "JOB.yaml"),
    ("queue", "job list", ""),
    ("ps", "job list", ""),
    ("ls", "job list", ""),
    ("list", "job list", ""),
    ("status", "job list", ""),
    ("show", "job show", "JOB_ID"),
    ("logs", "job logs", "JOB_ID"),
    ("log", "job logs", "JOB_ID"),
    ("tail", "job logs -f", "JOB_ID"),
    ("cancel", "job cancel", "JOB_ID"),
    ("kill", "job cancel", "JOB_ID"),
    ("rm", "job cancel", "JOB_ID"),
    ("wait", "job wait", "JOB_ID"),
    ("why", "job why", "JOB_ID"),
    ("hold", "job hold", "JOB_ID"),
    ("release", "job release", "JOB_ID"),
    ("requeue", "job requeue", "JOB_ID"),
    ("prune", "job prune", ""),
    ("top", "job top", ""),
    ("job ls", "job list", ""),
    ("job ps", "job list", ""),
    ("job queue", "job list", ""),
    ("job status", "job show", "JOB_ID"),
    ("job info", "job show", "JOB_ID"),
    ("job describe", "job show", "JOB_ID"),
    ("job log", "job logs", "JOB_ID"),
    ("job tail", "job logs -f", "JOB_ID"),
    ("job attach", "job logs -f", "JOB_ID"),
    ("job kill", "job cancel", "JOB_ID"),
    ("job stop", "job cancel", "JOB_ID"),
    ("job rm", "job cancel", "JOB_ID"),
    ("job delete", "job cancel", "JOB_ID"),
    ("job run", "job submit", "JOB.yaml"),
    ("job create", "job submit", "JOB.yaml"),
    ("job start", "job submit", "JOB.yaml"),
    ("job explain", "job why", "JOB_ID"),
    ("job pause", "job hold", "JOB_ID"),
    ("job resume", "job release", "JOB_ID"),
    ("job retry", "job requeue", "JOB_ID"),
    ("job restart", "job requeue", "JOB_ID"),
    ("job clean", "job prune", ""),
    ("job watch", "job top", ""),
    ("sbatch", "job submit", "JOB.yaml"),
    ("srun", "job submit --", "COMMAND"),
    ("nohup", "job submit --", "COMMAND"),
    ("squeue", "job list", ""),
    ("sacct", "job list", ""),
    ("scancel", "job cancel", "JOB_ID"),
    ("sprio", "job why", "JOB_ID"),
    ("scontrol show job", "job show", "JOB_ID"),
    ("scontrol hold", "job hold", "JOB_ID"),
    ("scontrol release", "job release", "JOB_ID"),
    ("scontrol requeue", "job requeue", "JOB_ID"),
    ("sinfo", "node facts", ""),
    ("qsub", "job submit", "JOB.yaml"),
    ("qstat", "job list", ""),
    ("qdel", "job cancel", "JOB_ID"),
    ("daemon", "agent", ""),
    ("agent start", "agent status", ""),
    ("agent kill", "agent stop", ""),
    ("nodes", "node", ""),
    ("facts", "node facts", ""),
    ("info", "node facts", ""),
    ("nvidia-smi", "node facts", ""),
    ("node info", "node facts", ""),
    ("node show", "node facts", ""),
    ("node list", "node facts", ""),
    ("schemas", "schema", ""),
    ("check", "schema check", "FILE"),
    ("validate", "schema check", "FILE"),
    ("schema validate", "schema check", "FILE"),
    ("schema ls", "schema list", ""),
    ("schema cat", "schema show", "KIND"),
    ("env", "doctor", ""),
    ("version", "--version", ""),
    ("help", "{} --help", ""),
)

SUBMIT = ("job", "submit")
DOCUMENT_ENDINGS = (".yaml", ".yml", ".json")

Words = tuple[str, ...]


class Grammar(Protocol):
    """What can rightly be typed."""

    def names(self, path: Words) -> Sequence[str]:
        """Names of the commands below `path`; empty for a command that has none."""

    def options(self, path: Words) -> Mapping[str, bool]:
        """Options of the command at `path`; true where the next word is the option's value."""


def correct(argv: Sequence[str], grammar: Grammar) -> Words | None:
    """Return the words most likely meant after `ogai`, or None when there is no good guess."""
    words = typed = tuple(argv)
    for depth in (0, 1):
        words = _translated(_nearest_command(words, depth, grammar), grammar)
    path = command_path(words, grammar)
    options = grammar.options(path)
    end = _first_operand(words, len(path), options) if path == SUBMIT else _index(words, "--")
    words = (
        *words[: len(path)],
        *(_nearest_option(word, options) for word in words[len(path) : end]),
        *words[end:],
    )
    if path == SUBMIT and _is_bare_command(words[end:]):
        words = (*words[:end], "--", *words[end:])
    return words if words != typed else None


def command_path(words: Words, grammar: Grammar) -> Words:
    """Return the words that name a command."""
    depth = 0
    while depth < len(words) and words[depth] in grammar.names(words[:depth]):
        depth += 1
    return words[:depth]


def spelled(words: Words) -> str:
    """Write the words as they are to be typed."""
    return shlex.join(("ogai", *words))


def _translated(words: Words, grammar: Grammar) -> Words:
    """Apply the longest entry of the table that starts `words`, unless that is a command in its own right."""
    uses = [use for use in WRONG_USES if _starts(words, use[0])]
    if not uses:
        return words
    typed, meant, operand = max(uses, key=lambda use: len(use[0].split()))
    *path, name = typed.split()
    if name in grammar.names(tuple(path)):
        return words
    rest = words[len(path) + 1 :] or tuple(operand.split())
    before, _, after = (meant if "{}" in meant else meant + " {}").partition("{}")
    return (*before.split(), *rest, *after.split())


def _starts(words: Words, typed: str) -> bool:
    beginning = tuple(typed.split())
    return words[: len(beginning)] == beginning


def _nearest_command(words: Words, depth: int, grammar: Grammar) -> Words:
    """Replace the word at `depth` by the command, or the table's entry, that looks most like it."""
    names = grammar.names(words[:depth])
    if not names or len(words) <= depth or words[depth].startswith("-"):
        return words
    typed = [tuple(use[0].split()) for use in WRONG_USES]
    known = [*names, *(use[depth] for use in typed if len(use) == depth + 1 and use[:depth] == words[:depth])]
    close = [] if words[depth] in known else get_close_matches(words[depth], known, n=1)
    return (*words[:depth], *close, *words[depth + 1 :]) if close else words


def _nearest_option(word: str, options: Mapping[str, bool]) -> str:
    name, equals, value = word.partition("=")
    if not name.startswith("--") or name == "--" or name in options:
        return word
    close = get_close_matches(name, options, n=1)
    return f"{close[0]}{equals}{value}" if close else word


def _first_operand(words: Words, start: int, options: Mapping[str, bool]) -> int:
    """Return the index of the first word that is neither an option nor its value; `--` counts as one."""
    index = start
    while index < len(words) and words[index].startswith("-") and words[index] != "--":
        index += 2 if options.get(_nearest_option(words[index], options)) else 1
    return min(index, len(words))


def _index(words: Words, word: str) -> int:
    return words.index(word) if word in words else len(words)


def _is_bare_command(operands: Words) -> bool:
    """Judge whether these are the words of a program to run; one word alone may be a document."""
    return len(operands) > 1 and operands[0] != "--" and not operands[0].endswith(DOCUMENT_ENDINGS)
