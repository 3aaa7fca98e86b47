"""The loop over a running attempt: pumps output, obeys `control`, keeps limits, leaves no process behind."""

from __future__ import annotations

import os
import select
import signal
import time
from math import ceil, inf

from l2_scheduler.local.shim import proc
from l2_scheduler.local.shim.control import Control
from l2_scheduler.local.shim.ending import SETTLE_S, Ending, describe_failure
from l2_scheduler.local.shim.files import append_event
from l2_scheduler.local.shim.launch import Launch, warn_after_s
from l2_scheduler.local.shim.memory import Cgroup, mib
from l2_scheduler.local.shim.pump import Pump
from l2_scheduler.local.shim.reach import kill_all, terminate_all
from l2_scheduler.local.shim.tasks import Gang, Task, warn_group
from l2_scheduler.local.shim.watch import Watch

_KILL_AGAIN_S = 0.1
_REAP_AT_ONCE = 1000


class Keeper:
    """One attempt from the release of its tasks to the end of its last process."""

    def __init__(
        self, launch: Launch, gang: Gang, *, pump: Pump, control: Control, signals: int, cgroup: Cgroup | None
    ) -> None:
        """Take what was prepared; `signals` is the descriptor that receives the numbers of caught signals."""
        now = time.monotonic()
        self.ending = Ending()
        self.first_failed: Task | None = None
        self.watch = Watch(now, launch.memory_limit_bytes, by_kernel=cgroup is not None)
        self._launch = launch
        self._gang = gang
        self._running = {task.pid: task for task in gang.tasks}
        self._pump = pump
        self._control = control
        self._signals = signals
        self._cgroup = cgroup
        self._cleared = False
        self._pump_at = now
        self._warn_at = now + (inf if (after := warn_after_s(launch)) is None else after)
        self._limit_at = now + (inf if launch.time_limit_s is None else launch.time_limit_s)
        self._oom_kills = proc.oom_kills()
        self._poll = select.poll()
        self._poll.register(signals, select.POLLIN)
        self._poll.register(control.fd, select.POLLIN)
        self._poll.register(pump, select.POLLIN)

    def run(self) -> None:
        """Let the tasks go and return when no process of the job is left and its logs are whole."""
        self._gang.release()
        while self._reap():
            self._keep_limits(time.monotonic())
            self._escalate(time.monotonic())
            if not self._cleared:
                self._wait(time.monotonic())
        self._pump.close()

    def _wait(self, now: float) -> None:
        resting = now < self._pump_at
        self._poll.modify(self._pump, 0 if resting else select.POLLIN)
        ending = self.ending
        due = min(ending.terminate_at, ending.kill_at, self.watch.due_at, self._pump_at if resting else inf)
        if not ending.state:
            due = min(due, self._warn_at, self._limit_at)
        for fd, _ in self._poll.poll(None if due == inf else max(0, ceil((due - now) * 1000))):
            if fd == self._signals:
                self._take_signals()
            elif fd == self._control.fd:
                self._take_orders()
            else:
                self._pump_at = time.monotonic() + self._pump.turn()

    def _take_signals(self) -> None:
        if signal.SIGTERM in os.read(self._signals, 4096):
            self._end("NODE_FAIL", "the machine is shutting down")

    def _take_orders(self) -> None:
        for order in self._control.orders():
            self._end(order.state, order.reason, at_once=order.at_once)

    def _end(self, state: str, reason: str, *, at_once: bool = False) -> None:
        now = time.monotonic()
        self.ending.decide(state, reason)
        if self.ending.kill_at == inf:  # else SIGTERM was sent, and an order repeated does not send it again
            self.ending.terminate(now)
        if at_once:
            self.ending.kill(now)

    def _reap(self) -> bool:
        for _ in range(_REAP_AT_ONCE):
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                break
            self.watch.note(usage.ru_maxrss * 1024)
            if task := self._running.pop(pid, None):
                task.take_status(status)
                self._judge(task)
        return not self._cleared

    def _judge(self, task: Task) -> None:
        self._judge_kernel_kills()
        if task.failed:
            self.first_failed = self.first_failed or task
            self.ending.decide("FAILED", describe_failure(task, self._gang.trouble()) + self._oom_hint(task))
        if not self._running:
            self.ending.decide("COMPLETED", "")
            self.ending.terminate(time.monotonic() + SETTLE_S)
        elif task.failed:
            self.ending.terminate(time.monotonic())

    def _judge_kernel_kills(self) -> None:
        limit = self._launch.memory_limit_bytes
        if self._cgroup and limit is not None and self._cgroup.kills():
            self.watch.note(limit)
            self._end("OUT_OF_MEMORY", f"the job reached its memory limit of {mib(limit)}", at_once=True)

    def _oom_hint(self, task: Task) -> str:
        if task.signal != signal.SIGKILL or proc.oom_kills() == self._oom_kills:
            return ""
        return "; meanwhile the kernel ended a process because this machine ran out of memory"

    def _keep_limits(self, now: float) -> None:
        if now >= self.watch.due_at:
            self._look(now)
        if self.ending.state:
            return
        if now >= self._warn_at:
            self._warn()
        if now >= self._limit_at:
            self._end("TIMEOUT", f"the job reached its time limit of {self._launch.time_limit_s:g} s")

    def _look(self, now: float) -> None:
        found = self.watch.look(now)
        limit = self._launch.memory_limit_bytes
        if self._cgroup:
            self._judge_kernel_kills()
        elif limit is not None and found > limit:
            reason = f"the job used {mib(found)} of memory, its limit is {mib(limit)}"
            self._end("OUT_OF_MEMORY", reason, at_once=True)

    def _warn(self) -> None:
        self._warn_at = inf
        name = f"SIG{self._launch.warn_signal}"
        for task in self._running.values():
            warn_group(task, signal.Signals[name])
        append_event(self._launch, "warned", signal=name)

    def _escalate(self, now: float) -> None:
        if now >= self.ending.terminate_at:
            self.ending.told()
            self._terminate()
            self.ending.kill(now + self._launch.grace_s)
        if now >= self.ending.kill_at:
            self._cleared = not kill_all() and not self._running
            self.ending.kill_at = time.monotonic() + _KILL_AGAIN_S

    def _terminate(self) -> None:
        count = terminate_all()
        if self._running:
            append_event(self._launch, "ending", state=self.ending.state, reason=self.ending.reason)
        elif count:
            append_event(self._launch, "cleaned", processes=count)
        else:
            self._cleared = True
