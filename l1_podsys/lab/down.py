"""A lab is taken down, and nothing of it is left; also one that a killed `up` or `down` left half made."""

import contextlib
import shutil
import time
from pathlib import Path

from l0_infra.core.errors import EngineError
from l1_podsys.lab.cgroups import Groups, kill_group, remove_group
from l1_podsys.lab.documents import Lab
from l1_podsys.lab.held import HeldRunner, locked, no_commands
from l1_podsys.lab.keepers import end_hosts, locked_folder
from l1_podsys.lab.layout import Layout
from l1_podsys.lab.network import RUN, any_bridge, remove_network
from l1_podsys.lab.settings import restore_settings
from l1_podsys.lab.store import LabPlace, load_lab

__all__ = ["take_lab_down"]

LOCK_S = 15.0


def take_lab_down(place: LabPlace, name: str) -> bool:
    """Leave nothing of a lab; False when there is none.

    What says what the lab consists of goes last, so that whoever ends this can begin it again.
    """
    layout = place.layout(name)
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(locked(layout.folder))
        except FileNotFoundError:
            return False
        stack.enter_context(no_commands(layout.commands))
        if layout.state.exists():
            _remove(place, load_lab(place.home, name), layout)
        _delete(layout.folder)
    return True


def _remove(place: LabPlace, lab: Lab, layout: Layout) -> None:
    groups = place.groups
    folders = [layout.proxy(lab), *(layout.host(lab, host) for host in lab.hosts)]
    with contextlib.ExitStack() as stack:
        end_hosts(groups, lab)
        for folder in folders:
            _lock_out(stack, groups, lab, folder)
        kill_group(groups, lab.group)
        _delete(layout.disks(lab))
    remove_group(groups, lab.group)
    for host in lab.hosts:  # systemd-nspawn leaves this where /run lies on a disk
        _delete(RUN / "systemd/nspawn/propagate" / lab.machine(host))
    with locked(RUN):
        # what a killed `down` was at ends before this begins
        remove_network(HeldRunner(place.runner, layout.state, alone=True), lab)
        if not any_bridge():
            restore_settings()


def _lock_out(stack: contextlib.ExitStack, groups: Groups, lab: Lab, folder: Path) -> None:
    """End whoever keeps a folder and take the lock, so that a keeper that is just beginning gives up."""
    deadline = time.monotonic() + LOCK_S
    while folder.is_dir():
        kill_group(groups, lab.group)
        if stack.enter_context(locked_folder(folder)):
            return
        if time.monotonic() > deadline:
            raise EngineError(
                str(folder),
                found="its lock held by a process that is not in the lab's control group",
                expected="the lock free",
                hint=f"`fuser -v {folder}` names the process",
            )
        time.sleep(0.02)


def _delete(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
