"""The folder of a run's checkpoints: what lies there, and the few changes of it, each whole after any kill."""

import contextlib
import errno
import fcntl
import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from l0_infra.core.documents import render_json
from l0_infra.core.errors import MachineError
from l0_infra.core.store import save_file, sync_directory
from l3_modeltools.checkpoint.found import Found, Verify, look_at, verify
from l3_modeltools.checkpoint.keep import Room, dispensable, plan_room, superseded
from l3_modeltools.checkpoint.naming import MANIFEST, Name, directory_name, parse_name
from l3_modeltools.checkpoint.trouble import StorageError
from l3_modeltools.schemas import Checkpoint, Checkpointing

__all__ = ["Shelf"]

LOCK = ".lock"
"""Held with flock by the one process that saves here."""

NO_FOLDER = frozenset((errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EACCES))
"""What is answered where no folder is to look into: there is no checkpoint."""

WITHOUT_LOCKS = frozenset([errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP])
"""What file systems answer that know no flock, as Lustre mounted without it: there nobody watches over the folder."""


class Shelf:
    """A run's `checkpoints/`. Looking changes nothing; what changes is for the holder of `claim` alone.

    Methods that change raise OSError as the disk does.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def found(self) -> tuple[Found, ...]:
        """List every checkpoint, also those that do not count, oldest step first, judged by manifest and sizes."""
        looked = [look_at(path) for path, _ in _entries(self.directory)]
        return tuple(sorted(looked, key=lambda found: (found.step, found.directory.name)))

    def newest_valid(
        self,
        *,
        run: str | None = None,
        architecture_sha256: str | None = None,
        verify: Verify = "hashes",
    ) -> tuple[Found | None, tuple[Found, ...]]:
        """Choose the newest checkpoint that may be loaded; return also those passed over, each with its fault.

        With `run` or `architecture_sha256` a checkpoint of another one is passed over.
        """
        passed_over: list[Found] = []
        for found in reversed(self.found()):
            judged = _judged(found, run, architecture_sha256, verify)
            if not judged.fault:
                return judged, tuple(passed_over)
            passed_over.append(judged)
        return None, tuple(passed_over)

    def place(self, step: int) -> Path:
        """Where the checkpoint of a step lies once it is whole."""
        return self.directory / directory_name(step)

    def workplace(self, step: int) -> Path:
        """Where the checkpoint of a step is written."""
        return self.directory / directory_name(step, "partial")

    def make_way(
        self, step: int, *, needed_bytes: int, keep: Checkpointing, run: str, architecture_sha256: str
    ) -> Checkpoint | None:
        """Make sure that `step` can be written; return its manifest where a sound one of this run is there already.

        What else lies in its place is set aside, and what the budget asks for removed. Raises MachineError when
        there is no room even so.
        """
        place = self.place(step)
        if os.path.lexists(place):
            there = _judged(look_at(place), run, architecture_sha256, "hashes")
            if not there.fault:
                return there.manifest
            self.set_aside(step)
        self.sweep()
        free_bytes = shutil.disk_usage(self.directory).free
        held = self._own(run, architecture_sha256)
        room = plan_room(needed_bytes, step=step, held=held, keep=keep, free_bytes=free_bytes)
        while room.costs_sound and (torn := _torn_unseen(held, step)):
            held = [torn if found.directory == torn.directory else found for found in held]
            room = plan_room(needed_bytes, step=step, held=held, keep=keep, free_bytes=free_bytes)
        if room.refusal:
            raise _refused(self.directory, room)
        for found in room.remove:
            self.remove(found)
        return None

    def prepare(self) -> None:
        """Make the folder, durably."""
        self.directory.mkdir(parents=True, exist_ok=True)
        sync_directory(self.directory.parent)

    @contextlib.contextmanager
    def claim(self) -> Iterator[None]:
        """Be the only one who saves here, until the context or this process ends.

        Raises MachineError while another process does. The folder must be there.
        """
        path = self.directory / LOCK
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
        try:
            _lock(descriptor, self.directory)
            yield
        finally:
            os.close(descriptor)

    def sweep(self) -> None:
        """Remove what killed saves and removals left behind."""
        for path, name in _entries(self.directory):
            if name.condition in ("partial", "removing"):
                _delete(path)

    def publish(self, manifest: Checkpoint) -> None:
        """Turn the workplace of the manifest's step, whose files are durable, into its checkpoint."""
        workplace = self.workplace(manifest.step)
        save_file(workplace / MANIFEST, render_json(manifest).encode())
        workplace.rename(self.place(manifest.step))
        sync_directory(self.directory)

    def set_aside(self, step: int) -> Path:
        """Move what lies in a step's place out of the way, and return where it is now."""
        number = 1
        while os.path.lexists(aside := self.directory / directory_name(step, f"damaged-{number}")):
            number += 1
        self.place(step).rename(aside)
        sync_directory(self.directory)
        return aside

    def remove(self, found: Found) -> None:
        """Remove a checkpoint; killed half-way it is one that counts nowhere and that `sweep` ends."""
        removing = self.directory / directory_name(found.step, "removing")
        if found.directory != removing:
            _delete(removing)
            found.directory.rename(removing)
            sync_directory(self.directory)
        _delete(removing)

    def free_oldest(self, *, keep: Checkpointing, run: str, architecture_sha256: str) -> Found | None:
        """Remove the oldest checkpoint of this run that may go before its time; None: none may.

        The newest that is to stay has been verified by every byte.
        """
        held = self._own(run, architecture_sha256)
        while (found := dispensable(held, keep)) and (torn := _torn_unseen(held, _beyond(held))):
            held = [torn if one.directory == torn.directory else one for one in held]
        if found is not None:
            self.remove(found)
        return found

    def prune(self, newest: Checkpoint, keep: Checkpointing) -> tuple[Found, ...]:
        """Remove the sound checkpoints that `keep` lets go now that `newest` was published, and return them.

        Those of later steps are none of its past and stay, as do those of other runs.
        """
        own = self._own(newest.run, newest.architecture_sha256)
        sound = [found for found in own if not found.fault and found.step <= newest.step]
        gone = set(superseded((found.step for found in sound), keep))
        pruned = tuple(found for found in sound if found.step in gone)
        for found in pruned:
            self.remove(found)
        return pruned

    def _own(self, run: str, architecture_sha256: str) -> list[Found]:
        """List what is found but for what belongs to others."""
        return [found for found in self.found() if not _foreign(found.manifest, run, architecture_sha256)]


def _beyond(held: Sequence[Found]) -> int:
    return max(found.step for found in held) + 1


def _torn_unseen(held: Sequence[Found], step: int) -> Found | None:
    """Verify the newest sound one before `step`, which is to outlive others; return it if it is not so sound."""
    sound = [found for found in held if not found.fault and found.step < step]
    newest = verify(max(sound, key=lambda found: found.step))
    return newest if newest.fault else None


def _judged(found: Found, run: str | None, architecture_sha256: str | None, how: Verify) -> Found:
    fault = found.fault or _foreign(found.manifest, run, architecture_sha256)
    judged = replace(found, fault=fault)
    return verify(judged) if how == "hashes" else judged


def _foreign(manifest: Checkpoint | None, run: str | None, architecture_sha256: str | None) -> str:
    if manifest is None:
        return ""
    if run is not None and manifest.run != run:
        return f"it belongs to the run `{manifest.run}`"
    if architecture_sha256 is not None and manifest.architecture_sha256 != architecture_sha256:
        return "it is of a model of another architecture"
    return ""


def _entries(directory: Path) -> list[tuple[Path, Name]]:
    try:
        paths = list(directory.iterdir())
    except OSError as error:
        if error.errno not in NO_FOLDER:
            raise
        return []
    return [(path, name) for path in paths if (name := parse_name(path.name))]


def _delete(path: Path) -> None:
    if path.is_symlink() or path.is_file():
        path.unlink()
    elif path.exists():
        shutil.rmtree(path)


def _lock(descriptor: int, directory: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise MachineError(
            str(directory),
            found="another process that saves checkpoints here",
            expected="one training at a time in a run directory",
            hint="wait until it ends, or end it",
            retry=True,
        ) from None
    except OSError as error:
        if error.errno not in WITHOUT_LOCKS:
            raise


def _refused(directory: Path, room: Room) -> StorageError:
    return StorageError(
        str(directory),
        found=room.refusal,
        expected="room for one more checkpoint",
        hint="free some space, raise `checkpoint.max_bytes` or lower `checkpoint.keep_last`",
        cause="over_budget" if room.over_budget else "full",
    )
