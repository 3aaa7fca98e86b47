"""What is to be cut over which accelerators, what a person has decided already, and what a framework can run."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal

from l0_infra.schemas import Device
from l3_modeltools.planning.cost import Setting
from l3_modeltools.schemas import Architecture, Calibration, Machine, Practice, Strategy

__all__ = ["Decided", "Limits", "Mode", "Problem", "Recomputing", "Schedule"]

Mode = Literal["none", "selective", "full"]
Schedule = Literal["1f1b", "interleaved", "zero_bubble"]
Recomputing = Literal["by_stage", "alike", "all"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Decided:
    """What a person has decided; None leaves it to the search."""

    dp: int | None = None
    tp: int | None = None
    pp: int | None = None
    vp: int | None = None
    cp: int | None = None
    ep: int | None = None
    sequence_parallel: bool | None = None
    micro_batch_size: int | None = None
    zero_stage: int | None = None
    schedule: Schedule | None = None
    recompute: Mode | None = None
    """Of all layers."""
    vocab_parallel: bool | None = None
    """None: true, for it takes no longer and no more memory."""


def _anything(strategy: Strategy, microbatches: int) -> bool:
    return True


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """What a framework runs; the defaults are what strategies can say at all."""

    degrees: frozenset[str] = frozenset({"dp", "tp", "pp", "cp", "ep", "vp"})
    """Degrees that may be more than 1."""
    zero_stages: tuple[int, ...] = (0, 1, 2, 3)
    schedules: tuple[Schedule, ...] = ("1f1b", "interleaved", "zero_bubble")
    recomputing: Recomputing = "by_stage"
    """`by_stage`: each stage what it must; `alike`: each virtual stage its first so many layers; `all` or none."""
    runs: Callable[[Strategy, int], bool] = _anything
    """Whether it runs a strategy with so many micro batches, whatever its layers and recomputation."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Problem:
    """A model, its batch, a machine, and a framework: all that the best strategy follows from."""

    architecture: Architecture
    sequence_length: int
    global_batch_size: int
    """Sequences of a step, over all copies."""
    practice: Practice
    machine: Machine
    device: Device
    calibration: Calibration
    limits: Limits = field(default_factory=Limits)
    decided: Decided = field(default_factory=Decided)
    headroom_bytes: int = 0
    """Memory of each accelerator that is to stay free, for what the account does not see."""

    @property
    def memory_bytes(self) -> int:
        """Memory of an accelerator that a strategy may fill; below 1 where all is to stay free."""
        return self.device.memory_bytes - self.headroom_bytes

    @property
    def tokens(self) -> int:
        """Tokens of a step."""
        return self.sequence_length * self.global_batch_size

    def setting(self, strategy: Strategy) -> Setting:
        """What one strategy for it costs follows from this."""
        return Setting(
            architecture=self.architecture,
            strategy=strategy,
            sequence_length=self.sequence_length,
            global_batch_size=self.global_batch_size,
            practice=self.practice,
        )

    def on(self, devices: int) -> "Problem":
        """The same on another number of accelerators: whole nodes, or a part of one."""
        each = min(devices, self.machine.devices_per_node)
        machine = _resized(self.machine, nodes=devices // each, devices_per_node=each)
        return replace(self, machine=machine)


def _resized(machine: Machine, *, nodes: int, devices_per_node: int) -> Machine:
    from msgspec.structs import replace as with_fields

    domain = machine.domain_devices
    if domain is not None and devices_per_node < machine.devices_per_node:
        domain = None
    return with_fields(machine, nodes=nodes, devices_per_node=devices_per_node, domain_devices=domain)
