"""Many facts in one round trip: one script goes in, one bundle comes out, and what hangs holds nothing back.

A bundle is lines: `@ NAME HOW` heads a fact (HOW is its exit code, `hung` or `absent`), `|` begins each line
of its output, `!` each line of its errors, `@ all told` ends it. A fact's output can never pass for a head.
"""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Literal

from l0_infra.schemas import Unread

__all__ = ["ABSENT", "HUNG", "NOT_ASKED", "Answer", "Answers", "Source", "parse_bundle", "render_script"]

End = Literal["exit", "hung", "absent", "not asked"]
KILLED = 137
"""Exit code of a command that `timeout -s KILL` ended."""

REFUSED = re.compile(r"permission denied|not permitted|(must|need to) be root|are you root|superuser", re.I)
"""How programs say that they need more rights."""


PLAIN = re.compile(r"[a-z][\w.-]*( [\w=.,:+/@-]+)*")
"""One program and its words, nothing that needs a shell."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """Where a fact comes from: a shell command, asked only where its program is installed.

    Its name is a file's: what it says lies in a support bundle under that name, and is read from there alike.
    """

    name: str
    program: str
    command: str
    quick: bool = False
    """Whether it asks the kernel alone, which answers at once: such a source needs no process of its own.

    It does not end the shell, and what it reads whole, it reads by `cat FILE` or `grep -H '' FILE…`.
    """
    when: str = ""
    """A test in the shell's own words that tells whether there is anything to ask; without it the answer is ABSENT."""
    whole: str | None = None
    """What a support bundle takes instead, where `command` says less than there is (a filtered log)."""
    also: tuple[str, ...] = ()
    """Patterns of other names, in lower case, that people give the file when they gather it by hand."""
    marks: tuple[str, ...] = ()
    """Texts near a file's beginning that only this source says."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """What a source said; `end` tells whether it ended by itself, and `code` is then its exit code."""

    end: End
    code: int | None = None
    out: str = ""
    err: str = ""

    @property
    def ok(self) -> bool:
        """Whether it ended with 0."""
        return self.code == 0

    def unread(self, what: str) -> Iterator[Unread]:
        """Yield why `what` could not be read; nothing when it could, or is not installed."""
        if self.end == "hung":
            yield Unread(
                what=what, reason="hung", detail="no answer in time", hint=f"run `{what}` by hand on the node"
            )
        elif self.end == "exit" and not self.ok:
            told = [line.strip() for line in (*self.out.split("\n"), *self.err.split("\n")) if line.strip()]
            refusals = [line for line in told if REFUSED.search(line)]
            if refusals:
                yield Unread(what=what, reason="denied", detail=refusals[-1][:200], hint="look as root")
            else:
                detail = "".join(told[-1:])[:200] or f"exit code {self.code}"
                yield Unread(what=what, reason="failed", detail=detail)

    def denied(self) -> Iterator[Unread]:
        """Yield each file that `grep` was not allowed to read."""
        for line in self.err.split("\n"):
            if line.endswith(": Permission denied"):
                yield Unread(what=line.split(": ")[1], reason="denied", hint="look as root")


Answers = Mapping[str, Answer]
"""What each source said, by its name; whoever hands it out has an answer for every source, if only NOT_ASKED."""

ABSENT = Answer(end="absent")
"""The program is not installed."""

NOT_ASKED = Answer(end="not asked")
"""Nobody looked: a support bundle lacks this file. Its facts are unknown, and that says nothing of the node."""

HUNG = Answer(end="hung")


def render_script(sources: Sequence[Source]) -> str:
    """Write the script that asks all sources at once: `sh -s SECONDS BYTES`, the limits of each of them."""
    return _script(tuple(sources))


@lru_cache(maxsize=16)
def _script(sources: tuple[Source, ...]) -> str:
    parts = (
        _code(),
        "run_source() {",
        "case $1 in",
        *(f"{one.name})\n{_in_place(one)}\n;;" for one in sources),
        "esac",
        "}",
        *map(_asking, sources),
        "report",
        "",
    )
    return "\n".join(parts)


def _code() -> str:
    return files(__package__).joinpath("bundle.sh").read_text("utf-8")


def _in_place(source: Source) -> str:
    """Write its command; a program with a process of its own takes the place of that shell."""
    return (
        f"exec {source.command}" if not source.quick and PLAIN.fullmatch(source.command) else source.command
    )


def _asking(source: Source) -> str:
    how = "quick" if source.quick else "alone"
    return f"{how} {source.name} {source.program} {shlex.quote(source.when)}".removesuffix(" ''")


def parse_bundle(text: str) -> Mapping[str, Answer]:
    """Read a bundle; a fact that was cut off, by a lost connection or a deadline, is left out."""
    told = [part.partition("\n") for part in f"\n{text}".split("\n@ ")[1:]]
    heads = [head.partition(" ") for head, _, _ in told]
    bodies = [body for _, _, body in told]
    return {name: _answer(how, body) for (name, _, how), body in list(zip(heads, bodies, strict=True))[:-1]}


def _answer(how: str, body: str) -> Answer:
    if how == "absent":
        return ABSENT
    out, err = _marked("|", body), _marked("!", body)
    code = int(how) if how.isascii() and how.isdecimal() else KILLED
    return (
        Answer(end="hung", out=out, err=err)
        if code == KILLED
        else Answer(end="exit", code=code, out=out, err=err)
    )


def _marked(mark: str, body: str) -> str:
    """Return the lines with a mark, without it; mostly all have the same one, and none is looked at by itself."""
    lines = f"\n{body.removesuffix(chr(10))}"
    count = lines.count(f"\n{mark}")
    if not count:
        return ""
    if count == lines.count("\n"):
        return lines.replace(f"\n{mark}", "\n")[1:].removesuffix("\n")
    return "\n".join(line[1:] for line in lines.split("\n") if line.startswith(mark)).removesuffix("\n")
