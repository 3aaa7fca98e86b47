"""Saves, and what else must be written, end no run where the disk is full or read-only: room is made, or waited for."""

import os
import shutil
import time
from collections.abc import Callable
from functools import partial
from time import perf_counter

import torch

from l0_infra.core.errors import MachineError
from l3_modeltools.checkpoint import Cause, Saver, State, StorageError, cause_of, state_bytes
from l3_modeltools.resilience import Heart
from l3_modeltools.schemas import Evidence
from l3_modeltools.training.episode import Episode
from l3_modeltools.training.logbook import Logbook, Noted
from l3_modeltools.training.pace import SlowWatch
from l3_modeltools.training.world import World

__all__ = ["Keeper"]

LOOK_S = 2.0
"""Seconds between two looks at a disk that is waited for."""

POLL_S = 0.02

SMALL_BYTES = 64 << 10
"""Free bytes with which a small file is tried again."""


Attempt = Callable[[], StorageError | None]
"""Does it on all ranks, and returns on all of them what failed."""


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
            return self._insist_on_save(error, step=step, tokens=tokens)
        self._judge_hold_up(perf_counter() - began)
        return True

    def finish(self, *, step: int, tokens: int) -> bool:
        """Wait until the save begun last is safe; where it failed, save the state as it is now, after `step`."""
        try:
            self._wait_for_the_one_before()
            self.heart.enter("save", step)
            self.saver.wait()
        except StorageError as error:
            return self._insist_on_save(error, step=step, tokens=tokens)
        return True

    def write(self, work: Callable[[], object], *, what: str) -> bool:
        """Let the first rank write a small file; return False where a wish to stop came while there was no room for it.

        `what` says what could not be done: `run.json could not be written`. `work` raises OSError or MachineError; all
        ranks raise StorageError for a reason that waiting does not mend.
        """
        failure = self._attempt_write(work)
        if failure is not None:
            self._wait_for_the_one_before()  # it may remove checkpoints, as this may
        episode = Episode(self.logbook, self.heart.step, what)
        return self._insist(failure, partial(self._attempt_write, work), episode, needed=SMALL_BYTES)

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

    def _insist_on_save(self, error: StorageError, *, step: int, tokens: int) -> bool:
        """Save now and wait for it, with room made or waited for as long as it takes."""
        episode = Episode(self.logbook, step, "a checkpoint could not be saved")
        attempt = partial(self._attempt_save, step=step, tokens=tokens)
        return self._insist(error, attempt, episode, needed=state_bytes(self.state(), self.world.size))

    def _insist(
        self, failure: StorageError | None, attempt: Attempt, episode: Episode, *, needed: int
    ) -> bool:
        """Try again until it is done, or a rank wishes to stop; say whether it is. `needed` bytes may be enough."""
        while failure is not None:
            if self._free(failure):
                episode.tell(failure, "free_space")
            elif failure.cause in ("other", "over_budget"):
                raise failure
            else:
                episode.tell(failure, "pause")
                if not self._wait_for_room(failure.cause, needed):
                    return False
            failure = attempt()
        episode.end()
        return True

    def _attempt_save(self, *, step: int, tokens: int) -> StorageError | None:
        self.heart.enter("save", step)
        try:
            self.saver.save(self.state(), step=step, tokens=tokens)
            self._wait_for_the_one_before()
            self.saver.wait()
        except StorageError as error:
            return error
        return None

    def _attempt_write(self, work: Callable[[], object]) -> StorageError | None:
        refusal = self.world.told_by_chief(_refusal(work) if self.world.is_chief else None)
        if refusal is None:
            return None
        found, cause = refusal
        where = str(self.logbook.directory)
        return StorageError(where, found=found, expected="a disk that takes a small file", cause=cause)

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

    def _wait_for_room(self, cause: Cause, needed: int) -> bool:
        """Wait until the disk might take what is needed, or a rank wishes to stop; say whether it might."""
        self.heart.enter("paused", self.heart.step)
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


def _refusal(work: Callable[[], object]) -> tuple[str, Cause] | None:
    """Do it; return what the disk said against it."""
    try:
        work()
    except OSError as error:
        return (error.strerror or str(error)).lower(), cause_of(error)
    except MachineError as error:
        return error.found.lower(), cause_of(error)
    return None
