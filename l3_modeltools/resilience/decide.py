"""What is done about a fault, within one budget of restarts."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from l0_infra.core.units import format_count, format_duration
from l3_modeltools.schemas import FaultAction, FaultClass, Resilience, TrainingFault

__all__ = ["GAVE_UP", "RESTART_JOB", "Decision", "decide"]

GAVE_UP, RESTART_JOB = 6, 75
"""Exit codes of a supervisor."""

LONGEST_WAIT_S = 600.0

RESTARTS: tuple[FaultAction, ...] = ("restart_worker", "roll_back", "restart_job")
"""What starts all ranks anew, and counts."""

STOPPING: tuple[FaultClass, ...] = ("crash", "killed", "hang", "device_lost", "unknown")
"""Ranks do not go on after these, whatever is advised."""

TOLD_ONLY: tuple[FaultClass, ...] = ("straggler", "clock_jump")
"""Nobody stops for these."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Decision:
    """What is done, after which wait, and why, in one sentence; with the exit code where the supervisor ends."""

    action: FaultAction
    wait_s: float = 0.0
    reason: str
    exit_code: int | None = None


def decide(
    fault: TrainingFault,
    *,
    earlier: Sequence[TrainingFault],
    restarts: Sequence[float],
    step_done: int | None,
    policy: Resilience,
    now: float,
) -> Decision:
    """Decide about a fault; the first line that fits counts.

    ======================================  ===========================================  ===================
    fault                                   what is known                                action
    ======================================  ===========================================  ===================
    any                                     advised: give_up                             give_up
    straggler, clock_jump                                                                none
    not one of those that stop a rank       advised: none, retry, skip_batches,          as advised
                                            free_space, pause
    any                                     `max_restarts` within the window, or in a    give_up
                                            row that brought no new step
    any, not in setup                       the last one was of this class, at this      give_up
                                            step, and nothing was done since
    device_lost                             the job was restarted for the same device    give_up
                                            within the window, or for any since the
                                            last new step
    device_lost, or advised: restart_job,                                                restart_job
    replace_node
    in setup                                the last one was in setup too                restart_job
    any                                     advised: roll_back                           roll_back
    any                                                                                  restart_worker
    ======================================  ===========================================  ===================

    crash, killed, hang, device_lost and unknown stop a rank whatever is advised; the others where it is a restart.
    `earlier` are the faults of the run before this one, by number, with what was done (`taken`); `restarts` when its
    ranks or its supervisor were started anew; `step_done` the highest step that was finished since the last time,
    None: none. All times are seconds since the epoch. A restart waits for nothing after a new step, else for
    `backoff_s` · 2^(k-1), at most 10 minutes, after k restarts in a row that brought none. Giving up ends the
    supervisor with exit code 6, unless a rank ended with a better one; restarting the job with 75.
    """
    if fault.advised == "give_up":
        return _give_up(fault.summary or "trying again would bring the same fault")
    if fault.fault_class in TOLD_ONLY:
        return Decision(action="none", reason="it stops nobody")
    if fault.fault_class not in STOPPING and fault.advised not in (*RESTARTS, "replace_node"):
        return Decision(action=fault.advised, reason="the ranks go on by themselves")
    row = _row(earlier, step_done)
    recent = [at for at in restarts if at > now - policy.window_s]
    known = [one for one in earlier if one.detected_at > now - policy.window_s]
    why = _spent(len(recent), len(row), policy) or _repeated(fault, row) or _lost_again(fault, known, row)
    return _give_up(why) if why else _restart(fault, row, policy)


def _row(earlier: Sequence[TrainingFault], step_done: int | None) -> list[TrainingFault]:
    """Return the last faults that ended in a restart which brought no new step, newest first.

    A step is new that comes after all that were done before, not one that is done again.
    """
    restarted = [fault for fault in earlier if fault.taken in RESTARTS]
    reached = list(accumulate(map(_done_before, restarted), max))
    row: list[TrainingFault] = []
    done = -1 if step_done is None else step_done
    for fault, highest in zip(reversed(restarted), reversed(reached), strict=True):
        if done > highest:
            break
        row.append(fault)
        done = _done_before(fault)
    return row


def _is_in_setup(fault: TrainingFault) -> bool:
    """A fault of which nobody knows where it was came before the first sign of life."""
    return fault.section == "setup" or fault.step is None


def _done_before(fault: TrainingFault) -> int:
    """Return the last step that was done when it came, -1 if unknown; saves and validations come after their step."""
    if fault.step is None or _is_in_setup(fault):
        return -1
    return fault.step if fault.section in ("save", "validate") else fault.step - 1


def _spent(recent: int, in_a_row: int, policy: Resilience) -> str:
    restarts = format_count(policy.max_restarts, "restart")
    if recent >= policy.max_restarts:
        return f"the budget of {restarts} within {format_duration(policy.window_s)} is spent"
    if in_a_row >= policy.max_restarts:
        return f"{restarts} in a row brought no new step, and the budget is {policy.max_restarts}"
    return ""


def _repeated(fault: TrainingFault, row: Sequence[TrainingFault]) -> str:
    if not row or _is_in_setup(fault):
        return ""
    last = row[0]
    if (last.fault_class, last.step) != (fault.fault_class, fault.step):
        return ""
    return f"step {fault.step} ended in {fault.fault_class} twice in a row, so it would again"


def _lost_again(fault: TrainingFault, known: Sequence[TrainingFault], row: Sequence[TrainingFault]) -> str:
    if fault.fault_class != "device_lost":
        return ""
    answered = [one for one in known if one.fault_class == "device_lost" and one.taken == "restart_job"]
    if any(one in row or _devices(one) & _devices(fault) for one in answered):
        return "a device was lost again after the job was restarted for it: the node needs a repair"
    return ""


def _devices(fault: TrainingFault) -> set[tuple[str | None, str]]:
    return {(one.node, one.device) for one in fault.suspects if one.device is not None}


def _restart(fault: TrainingFault, row: Sequence[TrainingFault], policy: Resilience) -> Decision:
    wait_s = min(policy.backoff_s * 2.0 ** min(len(row) - 1, 64), LONGEST_WAIT_S) if row else 0.0
    if fault.fault_class == "device_lost" or fault.advised in ("restart_job", "replace_node"):
        return _restart_job("the ranks need another device or a fresh process", wait_s)
    if _is_in_setup(fault) and row and _is_in_setup(row[0]):
        return _restart_job("the ranks could not be set up twice in a row", wait_s)
    if fault.advised == "roll_back":
        return Decision(
            action="roll_back", wait_s=wait_s, reason="all ranks go back to the newest checkpoint"
        )
    wait = f", after {wait_s:.3g} s: no new step was done since the last restart" if row else ""
    return Decision(action="restart_worker", wait_s=wait_s, reason=f"all ranks start again{wait}")


def _restart_job(reason: str, wait_s: float) -> Decision:
    return Decision(action="restart_job", wait_s=wait_s, reason=reason, exit_code=RESTART_JOB)


def _give_up(reason: str) -> Decision:
    return Decision(action="give_up", reason=reason, exit_code=GAVE_UP)
