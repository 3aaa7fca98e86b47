"""This machine as the engine sees it: L0's facts, in the words of L1's cluster state.

What probing needs is imported when it is needed: most command lines find the size in a file and ask no vendor's tool.
"""

import time
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from l0_infra.core.errors import FactsMissingError
from l0_infra.core.store import load_file, save_file
from l1_podsys.schemas import AcceleratorState, NodeState

if TYPE_CHECKING:
    from l0_infra.schemas import Accelerator, NodeFacts

__all__ = ["MachineProbe"]

LOOK_EVERY_S = 3.0
AFTER_TROUBLE_S = 60.0


class Size(msgspec.Struct, frozen=True, kw_only=True):
    """What does not change while the machine is up, kept in a file because probing it takes a moment."""

    boot_id: str
    name: str
    cpus: int
    memory_bytes: int


class MachineProbe:
    """Observe this machine; the accelerators anew every three seconds, the rest once per boot."""

    def __init__(self, home: Path) -> None:
        self.file = home / "machine.json"
        self.size: Size | None = None
        self.look_at = float("-inf")
        self.accelerators: tuple[AcceleratorState, ...] = ()

    def __call__(self, *, accelerators: bool = True) -> NodeState:
        """Return the node this process runs on; without `accelerators`, with those seen last.

        Raises FactsMissingError when its size cannot be read, or a vendor's tool is here but does not answer; such a
        tool is asked again after a minute.
        """
        size = self.size = self.size or self.load() or self.measure()
        if accelerators and time.monotonic() >= self.look_at:
            self.look_at = time.monotonic() + AFTER_TROUBLE_S
            self.accelerators = look()
            self.look_at = time.monotonic() + LOOK_EVERY_S
        return NodeState(
            name=size.name, cpus=size.cpus, memory_bytes=size.memory_bytes, accelerators=self.accelerators
        )

    def load(self) -> Size | None:
        try:
            size = msgspec.json.decode(load_file(self.file), type=Size)
        except (OSError, msgspec.DecodeError):
            return None
        return size if size.boot_id == boot_id() else None

    def measure(self) -> Size:
        from l0_infra import probe_size
        from l0_infra.core.exec import LocalRunner

        size = size_of(probe_size(LocalRunner(), time.time()))
        save_file(self.file, msgspec.json.encode(size))
        return size


def look() -> tuple[AcceleratorState, ...]:
    from l0_infra import probe_accelerators
    from l0_infra.core.exec import LocalRunner

    return tuple(map(describe, probe_accelerators(LocalRunner())))


def describe(accelerator: "Accelerator") -> AcceleratorState:
    """Say who uses an accelerator; one whose users are unknown may be busy, so it counts as busy."""
    busy: str | None = None
    if accelerator.processes is None:
        busy = "processes that the vendor's tool does not tell"
    elif accelerator.processes:
        busy = "pid " + ", ".join(str(process.pid) for process in accelerator.processes)
    return AcceleratorState(
        id=accelerator.id, model=accelerator.model or "", memory_bytes=accelerator.memory_bytes, busy=busy
    )


def size_of(facts: "NodeFacts") -> Size:
    cpus, memory_bytes = facts.cpus_usable, facts.memory_usable_bytes
    if cpus is None or memory_bytes is None or facts.boot_id is None:
        raise FactsMissingError(
            "this machine", found="no CPU count, memory size or boot id", expected="a readable /proc and /sys"
        )
    return Size(
        boot_id=facts.boot_id, name=facts.hostname or "localhost", cpus=cpus, memory_bytes=memory_bytes
    )


def boot_id() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
