"""Labs brought up, looked at and taken down."""

import contextlib
import fcntl
import os
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import msgspec

from l0_infra.core.errors import EngineError, UsageError
from l0_infra.core.exec import Runner
from l0_infra.core.store import load_file, save_file
from l1_podsys.lab.cgroups import Groups, kill_group, parse_groups, remove_group
from l1_podsys.lab.documents import Lab, LabHost, LabWish
from l1_podsys.lab.forwarding import probe_uplinks, restore_forwarding, switch_forwarding_on
from l1_podsys.lab.host import Keys, render_files
from l1_podsys.lab.image import apply_image
from l1_podsys.lab.keepers import end_hosts, lay_out_host, locked_folder, start_host, wait_for_ssh
from l1_podsys.lab.layout import Layout
from l1_podsys.lab.mirror import probe_mirror
from l1_podsys.lab.network import apply_network, choose_subnet, probe_routes, remove_network
from l1_podsys.lab.ssh import keep_key, save_ssh
from l1_podsys.lab.wish import check_wish, plan_hosts, plan_lab

__all__ = ["Place", "bring_up", "load_lab", "load_labs", "take_down"]

BOOT_S = 60.0
RUN = Path("/run")
NOTES = RUN / "ogai-labs"

OnStep = Callable[[str], None]


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Where labs are kept, and what this machine is steered by."""

    home: Path
    cache: Path
    runner: Runner

    @property
    def groups(self) -> Groups:
        """This machine's control groups."""
        return parse_groups(Path("/proc/self/mountinfo").read_text())


def bring_up(place: Place, wish: LabWish, *, on_step: OnStep) -> Lab:
    """Make what a lab lacks, and start what is off; a lab that is as wished stays as it is."""
    check_wish(wish)
    layout = Layout.of(place.home, wish.name)
    mirror = probe_mirror(place.runner, wish.mirror)
    image = apply_image(place.runner, wish.os, mirror, cache=place.cache, on_step=on_step)
    layout.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _locked(layout.folder):
        lab = _planned(place, wish, layout, image)
        public_keys = _prepare(place, lab, layout)
        save_ssh(lab, layout, public_keys)
        on_step(f"starting {len(lab.hosts)} hosts")
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda host: start_host(lab, host, layout, place.groups), lab.hosts))
            list(pool.map(lambda host: wait_for_ssh(lab, host, layout, wait_s=BOOT_S), lab.hosts))
    return lab


def take_down(place: Place, name: str) -> bool:
    """Leave nothing of a lab; False when there is none."""
    layout = Layout.of(place.home, name)
    if not layout.folder.is_dir():
        return False
    with _locked(layout.folder):
        if layout.state.exists():
            _remove(place, load_lab(place.home, name), layout)
        shutil.rmtree(layout.folder)
    return True


def load_lab(home: Path, name: str) -> Lab:
    """Read a lab. Raises UsageError when there is none of that name."""
    try:
        return msgspec.json.decode(load_file(Layout.of(home, name).state), type=Lab)
    except FileNotFoundError:
        known = [lab.name for lab in load_labs(home)]
        raise UsageError(
            f"lab {name}",
            found="no such lab",
            expected=f"one of {', '.join(known)}" if known else "a lab",
            hint=f"ogai lab up --name {name}",
        ) from None


def load_labs(home: Path) -> tuple[Lab, ...]:
    """Read every lab of a home."""
    files = sorted((home / "labs").glob("*/lab.json"))
    return tuple(msgspec.json.decode(load_file(file), type=Lab) for file in files)


def _planned(place: Place, wish: LabWish, layout: Layout, image: Path) -> Lab:
    """Write down what the lab will be, before any of it is made; its network is made while nobody else chooses one."""
    with _locked(RUN):
        if layout.state.exists():
            lab = plan_hosts(load_lab(place.home, wish.name), wish)
        else:
            others = [lab.subnet for lab in load_labs(place.home)]
            lab = plan_lab(
                wish,
                lab_id=secrets.token_hex(3),
                image=image,
                directory=layout.folder if wish.directory is None else wish.directory.absolute() / wish.name,
                subnet=choose_subnet([*probe_routes(place.runner), *others]),
            )
        save_file(layout.state, msgspec.json.format(msgspec.json.encode(lab), indent=2))
        apply_network(place.runner, lab)
        switch_forwarding_on((lab.bridge, *probe_uplinks(place.runner)), notes=NOTES)
    return lab


def _prepare(place: Place, lab: Lab, layout: Layout) -> dict[str, str]:
    """Make the hosts' folders; return their public keys."""
    _, login_public = keep_key(place.runner, layout.key, f"lab {lab.name}")
    layout.shared(lab).mkdir(parents=True, exist_ok=True)
    layout.shared(lab).chmod(0o1777)

    def prepare(host: LabHost) -> tuple[str, str]:
        folder = layout.host(lab, host)
        folder.mkdir(parents=True, exist_ok=True)
        private, public = keep_key(place.runner, folder / "host_key", host.name)
        keys = Keys(login_public=login_public, host_private=private, host_public=public)
        lay_out_host(place.runner, lab, host, layout, render_files(host, lab, keys, resolver=_resolver()))
        return host.name, public

    with ThreadPoolExecutor(8) as pool:
        return dict(pool.map(prepare, lab.hosts))


def _resolver() -> str:
    """Return this machine's resolv.conf, of which a host can use only servers that are not this machine's own."""
    for file in (Path("/etc/resolv.conf"), Path("/run/systemd/resolve/resolv.conf")):
        if file.exists() and "nameserver 127." not in (text := file.read_text()):
            return text
    return ""


def _remove(place: Place, lab: Lab, layout: Layout) -> None:
    groups = place.groups
    with contextlib.ExitStack() as stack:
        end_hosts(groups, lab)
        for host in lab.hosts:
            _lock_out(stack, groups, lab, layout.host(lab, host))
        kill_group(groups, lab.group)
        for folder in (*(layout.host(lab, host) for host in lab.hosts), layout.shared(lab)):
            shutil.rmtree(folder, ignore_errors=True)
    remove_group(groups, lab.group)
    for host in lab.hosts:
        shutil.rmtree(RUN / "systemd/nspawn/propagate" / lab.machine(host), ignore_errors=True)
    with _locked(RUN):
        remove_network(place.runner, lab)
        if not any(Path("/sys/class/net").glob("ogl*")):
            restore_forwarding(notes=NOTES)


def _lock_out(stack: contextlib.ExitStack, groups: Groups, lab: Lab, folder: Path) -> None:
    """End a host and take its keeper's lock, so that a keeper that is just beginning gives up."""
    deadline = time.monotonic() + 10
    while folder.is_dir():
        kill_group(groups, lab.group)
        if stack.enter_context(locked_folder(folder)):
            return
        if time.monotonic() > deadline:
            raise EngineError(
                str(folder), found="a lock held by a process outside the lab", expected="the lock free"
            )
        time.sleep(0.02)


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
