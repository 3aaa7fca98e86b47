"""Where the events happen: calls of the command line under way, disturbances to be undone, one source of chance."""

import json
import random
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from math import inf

import msgspec

from chaos.history import History, Submission
from chaos.kinds import Wish
from chaos.world import Ground, World
from l2_scheduler.schemas import JobStatus

__all__ = ["Call", "Stage"]

MOST_CALLS = 4
LIST_TIMEOUT_S = 90.0


@dataclass(kw_only=True, slots=True)
class Call:
    """A command line under way; `kill_at` is when it is killed (monotonic seconds), `then` takes its exit code."""

    process: subprocess.Popen[str]
    then: Callable[[int, str, str], None]
    kill_at: float = inf


class Stage:
    """The state of one run."""

    def __init__(self, ground: Ground, worlds: tuple[World, ...], rng: random.Random) -> None:
        self.ground = ground
        self.worlds = worlds
        self.rng = rng
        self.history = History()
        self.calls: list[Call] = []
        self.undo: list[tuple[float, Callable[[], object]]] = []
        self.troubles: list[str] = []
        self.number = 0
        self.called = 0

    def tree(self) -> str:
        """Choose which version of the program the next call uses."""
        tree = self.rng.choices(("this", "newer", "older"), (16, 2, 1))[0]
        if tree != "this":
            self.history.note(f"call of {tree} version")
        return tree

    def call(self, world: World, *words: str, kill: bool = False, **more: str) -> Call:
        """Start the command line; with `kill` it is killed after a random moment."""
        while len(self.calls) >= MOST_CALLS:
            self.tend()
            time.sleep(0.02)
        self.called += 1
        call = Call(process=world.ogai(*words, tree=self.tree(), **more), then=self.expect_sense(words))
        if kill:
            call.kill_at = time.monotonic() + self.rng.uniform(0.0, 0.5)
        self.calls.append(call)
        return call

    def expect_sense(self, words: tuple[str, ...]) -> Callable[[int, str, str], None]:
        def judge(code: int, _out: str, said: str) -> None:
            hopeless = code == 3 and said.startswith("error: dependency ")
            if (code not in {0, 2, 5, -signal.SIGKILL} and not hopeless) or "Traceback" in said:
                self.troubles.append(f"ogai {' '.join(words)} ended with {code}: {said.strip()}")

        return judge

    def submit(self, world: World, wish: Wish, *, secret: str, kill: bool) -> None:
        """Write the job's document and submit it."""
        document = world.folder / f"{wish.job.name}.yaml"
        document.write_text(json.dumps(msgspec.to_builtins(wish.job)))
        submission = Submission(world=world.name, name=wish.job.name, kind=wish.kind, count=wish.count)
        self.history.submissions.append(submission)
        call = self.call(world, "job", "submit", str(document), "-o", "json", kill=kill, PROVE_SECRET=secret)
        sense = call.then

        def take(code: int, out: str, said: str) -> None:
            sense(code, out, said)
            submission.exit_code, submission.words = code, said.strip()
            if code > 0:
                self.history.note(f"submit refused with exit code {code}")
            submission.ids = tuple(status.job_id for status in parse_statuses(out)) if code == 0 else ()

        call.then = take

    def later(self, delay_s: float, action: Callable[[], object]) -> None:
        """Have a disturbance undone after a while."""
        self.undo.append((time.monotonic() + delay_s, action))

    def tend(self) -> None:
        """Take in calls that ended, kill those whose time has come, undo what is due."""
        now = time.monotonic()
        for call in list(self.calls):
            if now >= call.kill_at and call.process.poll() is None:
                call.process.kill()
            if call in self.calls and call.process.poll() is not None:
                self.calls.remove(call)
                out, said = call.process.communicate()
                call.then(call.process.returncode, out, said)
        while due := next((entry for entry in self.undo if entry[0] <= now), None):
            self.undo.remove(due)  # first: what it does may tend as well
            due[1]()

    def settle(self) -> None:
        """Wait until nothing is under way and everything is undone."""
        while self.calls or self.undo:
            self.tend()
            time.sleep(0.02)

    def statuses(self, world: World) -> tuple[JobStatus, ...]:
        """List the world's jobs, as its user sees them."""
        process = world.ogai("job", "list", "--all", "-o", "json")
        out, said = process.communicate(timeout=LIST_TIMEOUT_S)
        if process.returncode != 0:
            self.troubles.append(f"ogai job list ended with {process.returncode}: {said.strip()}")
            return ()
        return parse_statuses(out)


def parse_statuses(text: str) -> tuple[JobStatus, ...]:
    return msgspec.json.decode(text, type=tuple[JobStatus, ...])
