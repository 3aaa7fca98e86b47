"""The one effect of this package: send the sources as one script through a runner, take the bundle back."""

from collections.abc import Sequence
from dataclasses import replace

from l0_infra.core.exec import Command, Runner
from l0_infra.facts.bundle import HUNG, Answers, Source, parse_bundle, render_script

__all__ = ["ask"]

MOST_BYTES = 1_000_000

LATE_S = 10
"""How much longer than its slowest fact the whole bundle may take."""


def ask(
    runner: Runner,
    sources: Sequence[Source],
    limit_s: int,
    *,
    sudo: bool = False,
    most_bytes: int = MOST_BYTES,
) -> Answers:
    """Ask all sources at once, each for at most `limit_s` seconds; every source has an answer, if only HUNG.

    Of what one says `most_bytes` are taken, from its beginning.

    Raises RemoteError when the node cannot be reached or has nowhere to put a temporary file.
    """
    script = Command.script(
        render_script(sources), str(limit_s), str(most_bytes), deadline_s=limit_s + LATE_S, sudo=sudo
    )
    outcome = runner.run(replace(script, output_limit_bytes=len(sources) * most_bytes))
    if outcome.ended_by == "exit":
        outcome.check(hint="the node needs a POSIX shell and a writable /tmp or /dev/shm")
    answers = parse_bundle(outcome.stdout)
    return {source.name: answers.get(source.name, HUNG) for source in sources}
