"""Data sheets of accelerators: `from ogai.device import show`."""

from l0_infra.schemas import Device
from ogai.flows.device import poll, show

__all__ = ["Device", "poll", "show"]
