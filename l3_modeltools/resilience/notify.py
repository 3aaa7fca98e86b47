"""Tells people of a run's faults and of its end, without ever holding the run up or failing it."""

import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import msgspec

from l0_infra.core.errors import OgaiError, RemoteError, UnsatisfiableError, describe_os_error, printable
from l3_modeltools.resilience.event import Event, EventKind, make_event
from l3_modeltools.resilience.told_environment import told_environment
from l3_modeltools.resilience.webhook import Refused, post_json
from l3_modeltools.schemas import Notification, Run, RunState, TrainingFault

__all__ = ["Notifier", "Patience", "send"]

AT_THE_END_S = 22.0
"""Two tries of a post and the wait between them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Patience:
    """How long is waited, in seconds."""

    webhook_s: float = 10.0
    retry_s: float = 1.0
    """Before a post is tried once more."""
    command_s: float = 30.0


DEFAULT = Patience()


def send(
    notification: Notification,
    event: Event,
    *,
    environment: Mapping[str, str],
    patience: Patience = DEFAULT,
) -> None:
    """Send `event` as `notification` says; `environment` is the job's, a command sees what `told_environment` leaves.

    Blocks for at most two deadlines and the wait between; raises RemoteError when it did not arrive, UnsatisfiableError
    when it cannot be sent at all. Neither tells the address.
    """
    body = msgspec.json.encode(event)
    if notification.command:
        _run(notification.command, body, told_environment(event, environment), patience.command_s)
    else:
        _post(notification, body, environment, patience)


def _post(
    notification: Notification, body: bytes, environment: Mapping[str, str], patience: Patience
) -> None:
    name = notification.webhook_from
    where = "the webhook" if name is None else f"the webhook of {name}"
    address = notification.webhook if name is None else environment.get(name, "").strip()
    if not address or not address.lower().startswith(("http://", "https://")):
        found = "another value" if address else "nothing"
        raise UnsatisfiableError(where, found=found, expected="an address `http://…` or `https://…`")
    try:
        post_json(address, body, deadline_s=patience.webhook_s)
    except Refused as first:
        if not first.retry:
            raise _not_arrived(where, first) from None
        time.sleep(patience.retry_s)
        try:
            post_json(address, body, deadline_s=patience.webhook_s)
        except Refused as second:
            raise _not_arrived(where, second) from None


def _not_arrived(where: str, refused: Refused) -> RemoteError:
    return RemoteError(where, found=str(refused), expected="an answer that it was taken", retry=refused.retry)


def _run(argv: tuple[str, ...], body: bytes, environment: Mapping[str, str], deadline_s: float) -> None:
    where = f"the command {argv[0]}"
    try:
        process = subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=dict(environment),
            start_new_session=True,
        )
    except OSError as error:
        found = describe_os_error(error)
        raise UnsatisfiableError(where, found=found, expected="a program that can be started") from error
    except ValueError as error:
        found = "a character that no command line can hold"
        raise UnsatisfiableError(where, found=found, expected="a program that can be started") from error
    try:
        process.communicate(body, timeout=deadline_s)
    except subprocess.TimeoutExpired:
        os.killpg(
            process.pid, signal.SIGKILL
        )  # its own group; it has not been waited for, so the id is still its
        process.wait()
        raise RemoteError(where, found=f"no end within {deadline_s:g} s", expected="a quick end") from None
    if process.returncode:
        raise RemoteError(where, found=f"exit code {process.returncode}", expected="exit code 0")


class Notifier:
    """Sends a run's notifications from threads of their own, one for each, so that none waits for another.

    `say` gets the one line that a failure costs.
    """

    def __init__(
        self,
        run: Run,
        environment: Mapping[str, str],
        *,
        say: Callable[[str], None] = lambda line: print(line, file=sys.stderr, flush=True),
        patience: Patience = DEFAULT,
    ) -> None:
        self._run_id = run.run_id
        self._environment, self._say, self._patience = environment, say, patience
        self._lines = [(notification, _Line()) for notification in run.train.notify]

    def tell(
        self,
        kind: EventKind,
        *,
        text: str,
        state: RunState = "RUNNING",
        step: int | None = None,
        fault: TrainingFault | None = None,
    ) -> None:
        """Tell all who want to hear of `kind` what happened, `text` in one sentence; returns at once."""
        event = make_event(kind, self._run_id, text, state=state, step=step, fault=fault, now=time.time())
        for notification, line in self._lines:
            if event.event in notification.on:
                line.put(lambda wanted=notification: self._send(wanted, event))  # type: ignore[misc]

    def close(self, timeout_s: float = AT_THE_END_S) -> bool:
        """Wait until everything was sent, at most `timeout_s`; return whether it was. What was not, is not sent."""
        until = time.monotonic() + timeout_s
        return all(line.close(until) for _, line in self._lines)

    def _send(self, notification: Notification, event: Event) -> None:
        try:
            send(notification, event, environment=self._environment, patience=self._patience)
        except OgaiError as error:
            self._say(f"notification of a {event.event} not sent: {printable(str(error))}")


class _Line:
    """A thread that does one thing after the other; started when there is something to do."""

    def __init__(self) -> None:
        self._work: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    def put(self, work: Callable[[], None]) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._go, name="notify", daemon=True)
            self._thread.start()
        self._work.put(work)

    def close(self, until: float) -> bool:
        if self._thread is None:
            return True
        self._work.put(None)
        self._thread.join(max(0.0, until - time.monotonic()))
        return not self._thread.is_alive()

    def _go(self) -> None:
        while (work := self._work.get()) is not None:
            work()
