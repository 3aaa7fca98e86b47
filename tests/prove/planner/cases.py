"""Random legal settings of every preset, on machines of every accelerator that has a data sheet."""

import json
from dataclasses import dataclass
from functools import cache
from random import Random

import msgspec

from l0_infra import load_devices
from l0_infra.schemas import Device
from l3_modeltools import load_calibration
from l3_modeltools.architectures import PRESETS
from l3_modeltools.frameworks import PRACTICES, practice_of
from l3_modeltools.planning import Site, setting_of
from l3_modeltools.planning.cost import Setting
from l3_modeltools.schemas import Machine, Network, Practice, Strategy
from tests.support.strategies import legal_strategies

__all__ = ["Case", "random_case"]

LENGTHS = (512, 2048, 4096, 8192, 32768, 131072)
OVERSUBSCRIPTIONS = (1.0, 1.0, 2.0, 8.0)


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """A step of a strategy at a site."""

    strategy: Strategy
    setting: Setting
    site: Site
    practice: str

    def __str__(self) -> str:
        """All that is needed to see it again."""
        told = {
            "strategy": msgspec.to_builtins(self.strategy),
            "practice": self.practice,
            "compute": self.setting.practice.compute,
            "device": self.site.device.name,
            "machine": msgspec.to_builtins(self.site.machine),
        }
        assert self.strategy.workload
        told["strategy"]["workload"]["architecture"] = self.strategy.workload.architecture.name
        return json.dumps(told)


def random_case(random: Random) -> Case:
    """One legal strategy with a machine as large as its world, computing in a format that the device has."""
    (strategy,) = legal_strategies(1, random.randrange(2**32), models=PRESETS, length=random.choice(LENGTHS))
    device, name = random.choice(_sheets()), random.choice(sorted(PRACTICES))
    practice = _computed(practice_of(name), device, random)
    setting = setting_of(strategy, practice)
    assert setting
    site = Site(
        machine=_machine(random, strategy.degrees.world_size, device),
        device=device,
        calibration=load_calibration(),
    )
    return Case(strategy=strategy, setting=setting, site=site, practice=name)


@cache
def _sheets() -> tuple[Device, ...]:
    """Those that can train: a sheet without the peak of any 16-bit format prices nothing."""
    return tuple(one for one in load_devices() if _formats(one))


def _formats(device: Device) -> list[str]:
    known = {peak.precision for peak in device.peak}
    formats = [name for name in ("bf16", "fp16") if name in known]
    return formats + (["fp8"] if {"fp8", "bf16"} <= known else [])


def _computed(practice: Practice, device: Device, random: Random) -> Practice:
    return msgspec.structs.replace(
        practice,
        compute=random.choice(_formats(device)),
        overlap_dp=random.random() < 0.5,
        overlap_tp=random.random() < 0.5,
        overlap_pp=random.random() < 0.5,
        flash_generation=random.choice([1, 2, 3]),
    )


def _machine(random: Random, world: int, device: Device) -> Machine:
    node = random.choice([size for size in (1, 2, 4, 8, 16) if world % size == 0])
    domain = node * random.choice([1, 1, 2, 4])
    network = Network(
        bytes_per_s_per_device=10 ** random.uniform(8, 11.5),
        oversubscription=random.choice(OVERSUBSCRIPTIONS),
    )
    return Machine(
        name="pod",
        device=device.name,
        nodes=world // node,
        devices_per_node=node,
        domain_devices=domain,
        network=network,
    )
