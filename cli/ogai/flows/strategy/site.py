"""The machine that a strategy is priced on: the one that was asked for, or one as large as its world."""

from dataclasses import replace

from l0_infra.core.errors import UnsatisfiableError
from l3_modeltools import Site
from l3_modeltools.schemas import Strategy
from ogai.flows.strategy.asked import Asked, calibration_of, machine_of

__all__ = ["site_for"]


def site_for(asked: Asked, *strategies: Strategy) -> Site:
    """Find the machine; without a document and `devices` it has as many as the largest of the strategies needs.

    Raises UsageError for words that make no machine, UnsatisfiableError for one smaller than a strategy's world.
    """
    world = max(strategy.degrees.world_size for strategy in strategies)
    if asked.machine is None and asked.devices is None:
        asked = replace(asked, devices=world)
    machine, device = machine_of(asked)
    if machine.devices < world:
        raise UnsatisfiableError(
            "--devices" if asked.machine is None else str(asked.machine),
            found=f"{machine.devices:,} accelerators for a strategy of {world:,} ranks",
            expected=f"{world:,} or more",
            hint="`ogai strategy search` finds the best cut over fewer",
        )
    return Site(machine=machine, device=device, calibration=calibration_of(asked.calibration))
