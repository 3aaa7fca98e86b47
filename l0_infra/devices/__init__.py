"""Data sheets of accelerator models, and which of them an accelerator of a node is."""

from l0_infra.devices.load import load_devices
from l0_infra.devices.match import match_device

__all__ = ["load_devices", "match_device"]
