"""A place to break things in: one OGAI_HOME with its user, its disk and its command line."""

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import msgspec

from l2_scheduler.local.layout import Layout

__all__ = ["Ground", "World", "make_ground", "make_worlds"]

REPOSITORY = Path(__file__).parents[3]
PACKAGES = ("l0_infra", "l1_podsys", "l2_scheduler", "l3_modeltools", "l4_multimodel")
DISK_BYTES = 64 * 2**20
CPUS = 6
MEMORY_BYTES = 8 * 2**30
NOBODY = 65534
SYSTEM_PYTHON = Path(f"/usr/bin/python{sys.version_info.major}.{sys.version_info.minor}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Ground:
    """What the worlds share: the run's folder and mark, the ledger, the witnesses, an older and a newer program."""

    folder: Path
    mark: str
    trees: Mapping[str, Path]

    @property
    def ledger(self) -> Path:
        return self.folder / "ledger"

    @property
    def slots(self) -> Path:
        return self.folder / "slots"

    @property
    def actor(self) -> Path:
        return self.folder / "actor.py"


@dataclass(frozen=True, kw_only=True, slots=True)
class World:
    """One queue and who uses it. `disk` is its own small file system, None where none could be mounted."""

    name: str
    ground: Ground
    folder: Path
    user: int | None
    python: str
    disk: Path | None

    @property
    def home(self) -> Path:
        return (self.disk or self.folder) / "home"

    @property
    def layout(self) -> Layout:
        return Layout(self.home / "scheduler")

    @property
    def witness(self) -> Path:
        return self.ground.folder / f"witness-{self.name}"

    def environment(self, tree: str = "this", **more: str) -> dict[str, str]:
        """Return the environment of this world's user: no more than a login shell has."""
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "USER": self.name,
            "LOGNAME": self.name,
            "OGAI_HOME": str(self.home),
            "OGAI_LEDGER": str(self.ground.ledger),
            "PYTHONPATH": os.pathsep.join(self.roots(tree)),
            "PROVE_WITNESS": str(self.witness),
            "PROVE_SLOTS": str(self.ground.slots),
            "PROVE_MACHINE_CPUS": str(CPUS),
            "PROVE_MARK": self.ground.mark,
            **more,
        }

    def roots(self, tree: str) -> tuple[str, str]:
        root = self.ground.trees[tree]
        return str(root), str(root / "cli")

    def start(self, *command: str, tree: str = "this", **more: str) -> subprocess.Popen[str]:
        """Start a program as this world's user."""
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.folder,
            env=self.environment(tree, **more),
            user=self.user,
            group=self.user,
            extra_groups=None if self.user is None else [],
        )

    def ogai(self, *words: str, tree: str = "this", **more: str) -> subprocess.Popen[str]:
        """Start the command line."""
        return self.start(self.python, "-P", "-m", "ogai", *words, tree=tree, **more)

    def program(self, text: str, *arguments: str) -> subprocess.Popen[str]:
        """Start a few lines of Python."""
        return self.start(self.python, "-P", "-c", text, *arguments)


def make_ground(folder: Path, mark: str) -> Ground:
    """Lay out what all worlds share, for any user to reach."""
    folder.mkdir(mode=0o755)
    ground = Ground(
        folder=folder,
        mark=mark,
        trees={"this": REPOSITORY, **{name: copy_tree(folder / name) for name in ("older", "newer")}},
    )
    ground.slots.mkdir()
    ground.slots.chmod(0o1777)
    shutil.copy(Path(__file__).with_name("actor.py"), ground.actor)
    return ground


def copy_tree(target: Path) -> Path:
    """Copy the program and give it another version, as an upgrade would."""
    for package in PACKAGES:
        shutil.copytree(REPOSITORY / package, target / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(
        REPOSITORY / "cli/ogai", target / "cli/ogai", ignore=shutil.ignore_patterns("__pycache__")
    )
    version = target / "cli/ogai/version.py"
    version.write_text(version.read_text().replace('= "', f'= "{target.name}-'))
    return target


def make_worlds(ground: Ground, stack: ExitStack) -> tuple[tuple[World, ...], tuple[str, ...]]:
    """Make two worlds that share the ledger, and say what could not be had here."""
    disk, no_disk = make_disk(ground.folder / "disk", stack)
    user, python, no_user = second_user(ground)
    first = World(
        name="first", ground=ground, folder=ground.folder / "a", user=None, python=sys.executable, disk=disk
    )
    second = World(
        name="second", ground=ground, folder=ground.folder / "b", user=user, python=python, disk=None
    )
    for world in (first, second):
        settle_in(world)
    return (first, second), tuple(filter(None, (no_disk, no_user)))


def settle_in(world: World) -> None:
    """Make the world's folders its user's, and tell its engine a machine of our size."""
    world.folder.mkdir(mode=0o755)
    world.home.mkdir(mode=0o700)
    world.witness.touch()
    machine = world.home / "machine.json"
    machine.write_bytes(msgspec.json.encode(machine_size()))
    for path in (world.folder, world.home, world.witness, machine):
        os.chown(path, *(2 * (os.getuid() if world.user is None else world.user,)))


def machine_size() -> dict[str, object]:
    boot_id = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return {"boot_id": boot_id, "name": "proof", "cpus": CPUS, "memory_bytes": MEMORY_BYTES}


def make_disk(point: Path, stack: ExitStack) -> tuple[Path | None, str]:
    """Mount a file system of 64 MiB, so that it can be filled."""
    point.mkdir()
    if os.getuid() != 0:
        return None, "disk full: skipped, mounting a small tmpfs needs root"
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES},mode=755", "tmpfs", point],
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        return None, f"disk full: skipped, {done.stderr.strip()}"
    stack.callback(lambda: subprocess.run(["umount", "--lazy", point], check=True))
    return point, ""


def second_user(ground: Ground) -> tuple[int | None, str, str]:
    """Give another user an interpreter of their own that finds what this one finds."""
    if os.getuid() != 0:
        return (
            None,
            sys.executable,
            "second user: skipped, changing the user needs root; a second home instead",
        )
    try:
        python = make_interpreter(ground.folder / "venv")
        probe = World(name="probe", ground=ground, folder=Path("/"), user=NOBODY, python=python, disk=None)
        process = probe.program("import click, msgspec, jsonschema, ogai, l2_scheduler")
    except (OSError, subprocess.CalledProcessError) as error:
        return None, sys.executable, f"second user: skipped, {error}; a second home instead"
    _, words = process.communicate()
    if process.returncode != 0:
        last = words.strip().splitlines()[-1]
        return (
            None,
            sys.executable,
            f"second user: skipped, {SYSTEM_PYTHON} says {last}; a second home instead",
        )
    return NOBODY, python, ""


def make_interpreter(venv: Path) -> str:
    """Make a virtual environment of the system's Python that borrows our packages."""
    subprocess.run([SYSTEM_PYTHON, "-m", "venv", "--without-pip", venv], check=True)
    packages = next(venv.glob("lib/python*/site-packages"))
    (packages / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return str(venv / "bin/python")
