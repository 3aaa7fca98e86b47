"""Judges each step before its update, so that weights are never spoilt, and does what the run's policy says."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, NoReturn, Protocol

import msgspec

from l3_modeltools.resilience import Spike, SpikeWatch
from l3_modeltools.runs import RunLayout, update_run
from l3_modeltools.schemas import Evidence, FaultAction, Resilience, Run, SkippedSteps
from l3_modeltools.training.ending import GaveUp
from l3_modeltools.training.locate import Origin
from l3_modeltools.training.logbook import Logbook, Noted
from l3_modeltools.training.step import Proposal, StepResult
from l3_modeltools.training.world import World

__all__ = ["Fate", "Guard", "Skips", "Write"]

Fate = Literal["take", "leave_out", "roll_back", "stop"]
"""What becomes of a step that was computed; `stop`: a wish to end came before it could be settled."""

MOST_SKIPS, WITHIN_STEPS = 8, 64
"""Decisions to leave batches out, within so many steps, after which the run has left its course."""


class Write(Protocol):
    """Lets the first rank write a small file."""

    def __call__(self, work: Callable[[], object], *, what: str) -> bool:
        """Do `work` until the disk takes it; False: a wish to stop came first."""


class Skips:
    """The steps that the run leaves out: decided in this process or before, each written into `run.json` first."""

    def __init__(self, directory: Path, write: Write, so_far: Sequence[SkippedSteps]) -> None:
        self.directory, self.write = directory, write
        self.parts = tuple(so_far)

    def add(self, first: int, last: int, reason: str) -> bool:
        """Leave out some steps from now on, also after any restart.

        Returns False where that could not be written before the run was told to stop: they are not left out then.
        Raises OgaiError for a reason that waiting does not mend.
        """
        part = SkippedSteps(first_step=first, last_step=last, reason=reason)

        def leave_out(run: Run) -> Run:
            return msgspec.structs.replace(run, skipped=(*run.skipped, part))

        what = (
            f"that batches are left out could not be written into {RunLayout(self.directory).document.name}"
        )
        is_written = self.write(lambda: update_run(self.directory, leave_out), what=what)
        self.parts = (*self.parts, part) if is_written else self.parts
        return is_written

    def is_too_many(self, step: int) -> bool:
        """Say whether another one at `step` would be too many."""
        return sum(step - WITHIN_STEPS < part.last_step <= step for part in self.parts) >= MOST_SKIPS


class Guard:
    """One rank's judge; all judge alike, since they judge by numbers that they have alike."""

    def __init__(
        self,
        policy: Resilience,
        *,
        world: World,
        logbook: Logbook,
        skips: Skips,
        spikes: SpikeWatch,
        rows: Sequence[range],
        newest_saved: Callable[[], int],
    ) -> None:
        """Take what it judges by.

        `rows` are those of the global batch in each micro batch of this rank; `newest_saved` lets the save in the
        background end and returns the step of the newest sound checkpoint, on all ranks.
        """
        self.policy, self.world, self.logbook = policy, world, logbook
        self.skips, self.spikes, self.rows = skips, spikes, rows
        self.newest_saved = newest_saved
        self.is_told = False
        """Whether the step before was a spike too, and reported."""

    def settle(
        self, step: int, compute: Callable[[], Proposal], locate: Callable[[], Origin | None]
    ) -> tuple[Proposal, Fate]:
        """Compute a step until it is known what to do with it. Raises GaveUp where the run must end."""
        first = compute()
        if first.result.is_finite:
            return first, self._judge(step, first.result)
        suspects = self._suspects(first)
        second = compute()
        if not second.result.is_finite:
            return second, self._refuse_not_finite(step, second.result, locate)
        self._tell_came_once(step, first.result, suspects)
        return second, self._judge(step, second.result)

    def _suspects(self, proposal: Proposal) -> list[int]:
        """Return the ranks whose own loss was not finite; a gradient alone tells nothing of whose it was."""
        finite = self.world.told_by_all(bool(proposal.own_loss.isfinite()))
        return [rank for rank, one in enumerate(finite) if not one]

    def _tell_came_once(self, step: int, result: StepResult, suspects: Sequence[int]) -> None:
        whose = f", on rank {_listed(suspects)}" if suspects else ""
        self.logbook.report(
            Noted(
                fault_class="not_finite",
                summary=f"step {step} gave {_described(result)}{whose}; computed again it was finite, so that"
                " a device is suspected, not the data",
                evidence=[_metric(result)],
                suspects=suspects,
                advised="replace_node",
                taken="retry",
            )
        )

    def _refuse_not_finite(self, step: int, result: StepResult, locate: Callable[[], Origin | None]) -> Fate:
        origins = self.world.told_by_all(self._origin(locate))
        found = [(rank, origin) for rank, origin in enumerate(origins) if origin]
        skipping = self.policy.on_not_finite == "skip_batches" and not self.skips.is_too_many(step)
        action: FaultAction = "skip_batches" if skipping else "give_up"
        told = f"step {step} gave {_described(result)}, twice"
        begins = f"; on rank {found[0][0]} it begins in {found[0][1]}" if found else ""
        fault = self.logbook.report(
            Noted(
                fault_class="not_finite",
                summary=told + begins,
                evidence=[
                    _metric(result),
                    *(
                        Evidence(source="metric", rank=rank, text=f"first in {origin}")
                        for rank, origin in found
                    ),
                ],
                suspects=[rank for rank, _ in found],
                advised=action,
                taken=action,
            )
        )
        if not skipping:
            self._give_up(step, told + begins, fault.fault_id if fault else None)
        return "leave_out" if self.skips.add(step, step, told) else "stop"

    def _origin(self, locate: Callable[[], Origin | None]) -> str:
        origin = locate()
        if origin is None:
            return ""
        rows = self.rows[origin.micro_batch]
        return f"{origin.place}, micro batch {origin.micro_batch} (rows {rows.start} to {rows.stop - 1} of the batch)"

    def _judge(self, step: int, result: StepResult) -> Fate:
        """Look for a jump in finite numbers."""
        spike = self.spikes.judge(step, result.loss, result.grad_norm)
        if spike is not None and self.policy.on_spike != "report":
            return self._refuse_spike(step, spike)
        if spike is not None and not self.is_told:
            self._report_spike(spike, "none")
        self.is_told = spike is not None
        self.spikes.accept(result.loss, result.grad_norm)
        return "take"

    def _refuse_spike(self, step: int, spike: Spike) -> Fate:
        if self.skips.is_too_many(step):
            self._give_up(step, _told(spike), self._report_spike(spike, "give_up"))
        self.spikes.refuse()
        goes_back = self.policy.on_spike == "roll_back"
        self._report_spike(spike, "roll_back" if goes_back else "skip_batches")
        first = self.newest_saved() + 1 if goes_back else step
        if not self.skips.add(first, step, _told(spike)):
            return "stop"
        return "roll_back" if goes_back else "leave_out"

    def _report_spike(self, spike: Spike, action: FaultAction) -> int | None:
        fault = self.logbook.report(
            Noted(
                fault_class="spike",
                summary=_told(spike),
                evidence=[Evidence(source="metric", text=f"{spike.score:.1f} deviations above the median")],
                advised=action,
                taken=action,
            )
        )
        return fault.fault_id if fault else None

    def _give_up(self, step: int, told: str, fault_id: int | None) -> NoReturn:
        too_many = self.skips.is_too_many(step)
        hint = (
            f"{MOST_SKIPS} times within {WITHIN_STEPS} steps batches were left out: the loss has left its course"
            if too_many
            else "look at the rows named in faults.jsonl, lower the learning rate or lengthen its warm-up;"
            " `resilience.on_not_finite: skip_batches` would leave such batches out"
        )
        raise GaveUp(
            told,
            expected="finite numbers that do not jump",
            hint=hint,
            fault_id=self.world.told_by_chief(fault_id),
        )


def _told(spike: Spike) -> str:
    of = "loss" if spike.of == "loss" else "gradient norm"
    return f"the {of} of step {spike.step} jumped to {spike.value:.4g} from about {spike.usual:.4g}"


def _described(result: StepResult) -> str:
    return f"a loss of {result.loss:g} and a gradient norm of {result.grad_norm:g}"


def _metric(result: StepResult) -> Evidence:
    return Evidence(source="metric", text=f"loss {result.loss:g}, gradient norm {result.grad_norm:g}")


def _listed(ranks: Sequence[int]) -> str:
    return ", ".join(map(str, ranks))
