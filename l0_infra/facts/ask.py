"""The one effect of this package: send the sources as one script through a runner, take the bundle back."""

from collections.abc import Mapping, Sequence

from l0_infra.core.exec import Command, Runner
from l0_infra.facts.bundle import HUNG, Answer, Source, parse_bundle, render_script

__all__ = ["ask"]

LATE_S = 10
"""How much longer than its slowest fact the whole bundle may take."""


def ask(runner: Runner, sources: Sequence[Source], limit_s: int) -> Mapping[str, Answer]:
    """Ask all sources at once, each for at most `limit_s` seconds; every source has an answer, if only HUNG.

    Raises RemoteError when the node cannot be reached or has nowhere to put a temporary file.
    """
    script = Command.script(render_script(sources), str(limit_s), deadline_s=limit_s + LATE_S)
    outcome = runner.run(script)
    if outcome.ended_by == "exit":
        outcome.check(hint="the node needs a POSIX shell and a writable /tmp or /dev/shm")
    answers = parse_bundle(outcome.stdout)
    return {source.name: answers.get(source.name, HUNG) for source in sources}
