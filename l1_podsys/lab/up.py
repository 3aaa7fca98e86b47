"""A lab is brought up: what it lacks is made, what is off is started."""

import secrets
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from l0_infra.core.errors import EngineError, UsageError
from l0_infra.core.exec import Runner
from l0_infra.core.nodeset import fold
from l1_podsys.lab.breaks import HostHandle, breaks_of
from l1_podsys.lab.documents import Lab, LabHost, LabWish
from l1_podsys.lab.held import HeldRunner, locked
from l1_podsys.lab.image import apply_image, image_name
from l1_podsys.lab.images import probe_mounts, prune_archives, prune_images, use_image
from l1_podsys.lab.keepers import lives, settle, start_host, start_proxy, wait_for_host
from l1_podsys.lab.lay_out import lay_out_host, lay_out_lab
from l1_podsys.lab.layout import Layout
from l1_podsys.lab.limits import apply_limits
from l1_podsys.lab.mirror import image_archive, probe_mirror
from l1_podsys.lab.network import RUN, apply_network, choose_subnet, probe_routes
from l1_podsys.lab.requirements import check_requirements
from l1_podsys.lab.settings import apply_settings, probe_uplinks
from l1_podsys.lab.ssh import save_ssh
from l1_podsys.lab.store import LabPlace, load_lab, load_labs, save_lab
from l1_podsys.lab.wish import (
    check_wish,
    disks_in,
    left_as_they_are,
    plan_hosts,
    plan_lab,
    refuse_other_mirror,
)

__all__ = ["bring_lab_up"]

BOOT_S = 60.0
AT_ONCE = 8

OnStep = Callable[[str], None]
Value = TypeVar("Value")


def bring_lab_up(place: LabPlace, wish: LabWish, *, on_step: OnStep) -> Lab:
    """Make what a lab lacks, and start what is off; a lab that is as wished stays as it is.

    What it consists of is on disk before any of it is made, so that `take_lab_down` finds all of it whenever this ends.
    """
    check_wish(wish)
    check_requirements(place.runner, place.groups)
    layout = place.layout(wish.name)
    image = _image(place, wish, layout, on_step)
    with locked(layout.folder, make=True):
        layout.commands.touch()
        runner = HeldRunner(place.runner, layout.commands)
        lab = _apply_network(place, runner, wish, image)
        for kept in left_as_they_are(lab, wish):
            on_step(kept)
        save_ssh(lab, layout, _lay_out(runner, lab, layout))
        start_proxy(lab, layout, place.groups, cache=place.cache / "packages")
        _start_hosts(place, lab, layout, on_step)
    return lab


def _image(place: LabPlace, wish: LabWish, layout: Layout, on_step: OnStep) -> Path:
    """Return what the hosts start from; a lab that is there already keeps its own."""
    if not layout.state.exists():
        return _new_image(place, wish, layout, on_step)
    image = Path(load_lab(place.home, wish.name).image)
    if not use_image(place.cache, image, layout.state):
        raise EngineError(
            str(image),
            found="no image any more",
            expected=f"what the hosts of lab {wish.name} start from",
            hint=f"ogai lab down {wish.name}, then up again",
        )
    refuse_other_mirror(wish, image_archive(image))
    return image


def _new_image(place: LabPlace, wish: LabWish, layout: Layout, on_step: OnStep) -> Path:
    """Return the image of what is wished; when it had to be made, old ones that nobody needs make room."""
    mirror = probe_mirror(place.runner, wish.mirror)
    there = (place.cache / image_name(wish.os, mirror)).is_dir()
    image = apply_image(place.runner, wish.os, mirror, cache=place.cache, on_step=on_step)
    while not use_image(place.cache, image, layout.state):  # another `up` pruned it in between
        image = apply_image(place.runner, wish.os, mirror, cache=place.cache, on_step=on_step)
    if not there:
        prune_archives(place.cache, time.time())
        if old := prune_images(place.cache, probe_mounts()):
            on_step(f"removed old images that no lab starts from: {', '.join(old)}")
    return image


def _apply_network(place: LabPlace, runner: Runner, wish: LabWish, image: Path) -> Lab:
    """Plan the lab, write the plan down and make its network, while no other lab chooses one."""
    layout = place.layout(wish.name)
    with locked(RUN):
        lab = _planned(place, wish, layout, image)
        save_lab(layout, lab)
        apply_network(runner, lab)
        apply_settings(probe_uplinks(place.runner))
    return lab


def _planned(place: LabPlace, wish: LabWish, layout: Layout, image: Path) -> Lab:
    if layout.state.exists():
        return plan_hosts(load_lab(place.home, wish.name), wish)
    directory = layout.folder / "hosts" if wish.directory is None else disks_in(wish.directory, wish.name)
    if directory.exists():
        raise UsageError(
            "--dir", found=f"{directory}, which is there already", expected="a folder of the lab's own"
        )
    others = [lab.subnet for lab in load_labs(place.home)]
    return plan_lab(
        wish,
        lab_id=secrets.token_hex(3),
        image=image,
        directory=directory,
        subnet=choose_subnet([*probe_routes(place.runner), *others]),
    )


def _lay_out(runner: Runner, lab: Lab, layout: Layout) -> dict[str, str]:
    """Make the hosts' folders; return their public keys."""
    login_public = lay_out_lab(runner, lab, layout)
    keys = _for_each(lab, lambda host: lay_out_host(runner, lab, host, layout, login_public))
    return {host.name: key for host, key in zip(lab.hosts, keys, strict=True)}


def _start_hosts(place: LabPlace, lab: Lab, layout: Layout, on_step: OnStep) -> None:
    """Start hosts that are off, and wait for all but those that somebody broke."""
    groups, runner = place.groups, place.runner
    _for_each(lab, lambda host: settle(groups, lab, host, layout))
    off = [host.name for host in lab.hosts if not lives(layout.host(lab, host))]
    on_step(
        f"starting {fold(off)}" if off else f"lab {lab.name} is up: {fold(host.name for host in lab.hosts)}"
    )

    def start(host: LabHost) -> None:
        apply_limits(groups, lab, host)
        start_host(lab, host, layout, groups)

    def wait(host: LabHost) -> None:
        handle = HostHandle(lab=lab, host=host, layout=layout, groups=groups, runner=runner)
        if host.name in off or not breaks_of(handle):
            wait_for_host(lab, host, layout, groups, wait_s=BOOT_S)

    _for_each(lab, start)
    _for_each(lab, wait)


def _for_each(lab: Lab, work: Callable[[LabHost], Value]) -> tuple[Value, ...]:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return tuple(pool.map(work, lab.hosts))
