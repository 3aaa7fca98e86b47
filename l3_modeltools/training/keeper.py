"""Saves that do not end the run where the disk is full or read-only: room is made, or waited for."""

import os
import shutil
import time
from collections.abc import Callable
from time import perf_counter

import torch

from l3_modeltools.checkpoint import Cause, Saver, State, StorageError, state_bytes
from l3_modeltools.resilience import Heart
from l3_modeltools.schemas import Evidence, FaultAction, TrainingFault
from l3_modeltools.training.logbook import Logbook, Noted
from l3_modeltools.training.pace import SlowWatch
from l3_modeltools.training.world import World

__all__ = ["Keeper"]

LOOK_S = 2.0
"""Seconds between two looks at a disk that is waited for."""

POLL_S = 0.02


class Keeper:
    """Saves the state of all ranks; every rank has one and calls the same methods in the same order."""

    def __init__(
        self,
        saver: Saver,
        state: Callable[[], State],
        *,
        world: World,
        heart: Heart,
        logbook: Logbook,
        wants_stop: Callable[[], bool],
        look_s: float = LOOK_S,
    ) -> None:
        self.saver, self.state, self.shelf = saver, state, saver.shelf
        self.world, self.heart, self.logbook = world, heart, logbook
        self.wants_stop, self.look_s = wants_stop, look_s
        self.slow_disk, self.slow_loop = SlowWatch(), SlowWatch()
        self.held_up: list[float] = []
        """Seconds for which each save held the loop up."""

    @property
    def has_failed(self) -> bool:
        """Whether a save failed in the background, so that one should be begun again soon."""
        return self.saver.has_failed

    def save(self, *, step: int, tokens: int) -> bool:
        """Begin to save the state; return False where a wish to stop came while there was no room for it.

        Raises OgaiError where the save before failed for a reason that waiting does not mend.
        """
        began = perf_counter()
        try:
            self._wait_for_the_one_before()
            self.heart.enter("save", step)
            self.saver.save(self.state(), step=step, tokens=tokens)
        except StorageError as error:
            return self._insist(error, step=step, tokens=tokens)
        self._judge_hold_up(perf_counter() - began)
        return True

    def finish(self, *, step: int, tokens: int) -> bool:
        """Wait until the save begun last is safe; where it failed, save the state as it is now, after `step`."""
        try:
            self._wait_for_the_one_before()
            self.heart.enter("save", step)
            self.saver.wait()
        except StorageError as error:
            return self._insist(error, step=step, tokens=tokens)
        return True

    def look(self) -> None:
        """Tell of a save that takes too long in the background; costs nothing, for every step."""
        if self.world.is_chief and self.saver.is_saving:
            seconds = perf_counter() - self.saver.began
            if self.slow_disk.is_slow(seconds, self.saver.took):
                self._report_slow(f"a save has been going on for {seconds:.0f} s")

    def newest_saved(self, *, step: int, tokens: int) -> int:
        """Finish as `finish` does, and return the step of the newest sound checkpoint, on all ranks."""
        self.finish(step=step, tokens=tokens)
        found = None
        if self.world.is_chief:
            found, _ = self.shelf.newest_valid(
                run=self.saver.run, architecture_sha256=self.saver.architecture_sha256
            )
        return self.world.from_chief(found.step if found else 0)

    def _wait_for_the_one_before(self) -> None:
        """Wait as one who says so: the disk may take its time, and no rank hangs meanwhile."""
        if self.saver.is_saving:
            self.heart.enter("paused", self.heart.step)
        while self.saver.is_saving:
            self.look()
            time.sleep(POLL_S)

    def _judge_hold_up(self, seconds: float) -> None:
        if self.slow_loop.is_slow(seconds, self.held_up):
            self._report_slow(f"a save held the training up for {seconds:.0f} s")
        self.held_up.append(seconds)

    def _report_slow(self, what: str) -> None:
        summary = f"{what}, far longer than usual"
        evidence = [Evidence(source="file", text=str(self.shelf.directory))]
        self.logbook.report(
            Noted(
                fault_class="storage_slow", summary=summary, evidence=evidence, advised="none", taken="none"
            )
        )

    def _insist(self, error: StorageError, *, step: int, tokens: int) -> bool:
        """Save now and wait for it, with room made or waited for as long as it takes."""
        episode = Episode(self.logbook, step)
        failure: StorageError | None = error
        while failure is not None:
            if self._free(failure):
                episode.tell(failure, "free_space")
            elif failure.cause in ("other", "over_budget"):
                raise failure
            else:
                episode.tell(failure, "pause")
                if not self._wait_for_room(failure.cause):
                    return False
            failure = self._attempt(step=step, tokens=tokens)
        episode.end()
        return True

    def _attempt(self, *, step: int, tokens: int) -> StorageError | None:
        """Save and wait; return what failed."""
        self.heart.enter("save", step)
        try:
            self.saver.save(self.state(), step=step, tokens=tokens)
            self._wait_for_the_one_before()
            self.saver.wait()
        except StorageError as error:
            return error
        return None

    def _free(self, failure: StorageError) -> bool:
        """Remove the oldest checkpoint that may go, where that helps; say whether one went, on all ranks."""
        gone = ""
        if self.world.is_chief and failure.cause in ("full", "over_budget"):
            found = self.shelf.free_oldest(
                keep=self.saver.keep,
                run=self.saver.run,
                architecture_sha256=self.saver.architecture_sha256,
            )
            gone = found.directory.name if found else ""
        if gone:
            self.logbook.say(f"removed {gone} before its time, to make room")
        return bool(self.world.from_chief(len(gone)))

    def _wait_for_room(self, cause: Cause) -> bool:
        """Wait until the disk might take the state, or a rank wishes to stop; say whether it might."""
        self.heart.enter("paused", self.heart.step)
        needed = state_bytes(self.state(), self.world.size)
        while True:
            if self.world.is_chief:
                time.sleep(self.look_s)
            ready = self.world.is_chief and self._might_take(needed, cause)
            said = torch.tensor([float(ready), float(self.wants_stop())], device=self.world.device)
            is_ready, is_stopped = self.world.add_up(said).tolist()
            if is_stopped or is_ready:
                return not is_stopped

    def _might_take(self, needed: int, cause: Cause) -> bool:
        if cause == "read_only":
            return os.access(self.shelf.directory, os.W_OK)
        return shutil.disk_usage(self.shelf.directory).free >= needed


class Episode:
    """A time in which the disk takes no checkpoint, told once however often it is tried."""

    def __init__(self, logbook: Logbook, step: int) -> None:
        self.logbook, self.step = logbook, step
        self.fault: TrainingFault | None = None
        self.is_told = self.is_paused = False

    def tell(self, failure: StorageError, action: FaultAction) -> None:
        """Tell of the fault, and of what is done about it now."""
        if not self.is_told:
            self.fault = self.logbook.report(_noted(failure, action))
            self.is_told = True
        elif self.fault is not None:
            self.logbook.took(self.fault, action)
        if action == "pause" and not self.is_paused:
            self.is_paused = True
            fault_id = self.fault.fault_id if self.fault else None
            self.logbook.mark("paused", step=self.step, fault_id=fault_id, text=failure.found)
            self.logbook.say(f"paused: {failure.found}; goes on by itself when the disk takes it")

    def end(self) -> None:
        """Tell that the state is saved."""
        if self.is_paused:
            self.logbook.mark("went_on", step=self.step)
            self.logbook.say("goes on")


def _noted(failure: StorageError, action: FaultAction) -> Noted:
    read_only = failure.cause == "read_only"
    return Noted(
        fault_class="storage_read_only" if read_only else "storage_full",
        summary=f"a checkpoint could not be saved: {failure.found}",
        evidence=[Evidence(source="file", text=str(failure))],
        advised="pause" if read_only else "free_space",
        taken=action,
    )
