"""How a program is run within an image: the command lines of Apptainer and Enroot."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from l0_infra.core.errors import UnsatisfiableError

__all__ = [
    "Container",
    "Inside",
    "apptainer_command",
    "container_command",
    "enroot_command",
    "find_container",
]

ENTER = 'cd "$0" && exec "$@"'
"""Enroot has no option for the directory to begin in."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Container:
    """What runs images on a machine: which kind it is, and where its program lies."""

    kind: Literal["apptainer", "enroot"]
    program: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Inside:
    """What is wanted inside: a program, the image it comes from, and what it shares with the machine."""

    image: str
    argv: Sequence[str]
    directory: str | None
    """Where it begins; None: where the image says."""
    folders: Sequence[str]
    """Folders at the same paths as outside."""
    variables: Sequence[str]
    """Names of variables it sees; their values never stand on a command line."""
    accelerators: bool


def find_container(programs: Mapping[str, str | None]) -> Container | None:
    """Choose from where `apptainer`, `singularity` (its older name) and `enroot` were found; None where none was."""
    for name in ("apptainer", "singularity"):
        if program := programs.get(name):
            return Container(kind="apptainer", program=program)
    program = programs.get("enroot")
    return Container(kind="enroot", program=program) if program else None


def container_command(container: Container | None, inside: Inside) -> tuple[str, ...]:
    """Return the command line that runs it; raises UnsatisfiableError when there is nothing to run images with."""
    if container is None:
        raise UnsatisfiableError(
            "train.command.image",
            found=f"`{inside.image}`, but neither apptainer nor enroot on this machine",
            expected="a program that runs images",
            hint="install Apptainer or Enroot, or remove `image` and run on the machine itself",
        )
    render = apptainer_command if container.kind == "apptainer" else enroot_command
    return render(container.program, inside)


def apptainer_command(program: str, inside: Inside) -> tuple[str, ...]:
    """Run with Apptainer, which hands on the environment (User Guide, `apptainer exec`)."""
    binds = [word for folder in inside.folders for word in ("--bind", folder)]
    nvidia = ("--nv",) if inside.accelerators else ()
    begin = ("--pwd", inside.directory) if inside.directory else ()
    return (program, "exec", *nvidia, *binds, *begin, inside.image, *inside.argv)


def enroot_command(program: str, inside: Inside) -> tuple[str, ...]:
    """Run with Enroot, whose hooks bring the accelerators in (doc/cmd/start.md); `image` is a .sqsh or a container."""
    mounts = [word for folder in inside.folders for word in ("--mount", f"{folder}:{folder}")]
    shared = [word for name in inside.variables for word in ("--env", name)]
    enter = ("sh", "-c", ENTER, inside.directory) if inside.directory else ()
    return (program, "start", *mounts, *shared, inside.image, *enter, *inside.argv)
