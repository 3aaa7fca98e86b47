"""One node: its facts, its base system, its drivers, what is wrong with it."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from l0_infra.devices import load_devices, match_device
    from l0_infra.facts.accelerators import probe_accelerators
    from l0_infra.facts.probe import probe_node

__all__ = ["load_devices", "match_device", "probe_accelerators", "probe_node"]

_HOME = {
    "load_devices": "l0_infra.devices",
    "match_device": "l0_infra.devices",
    "probe_accelerators": "l0_infra.facts.accelerators",
    "probe_node": "l0_infra.facts.probe",
}


def __getattr__(name: str) -> object:
    """Import a name of the face when it is first used, so that importing the package costs nothing."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)
