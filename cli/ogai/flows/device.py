"""Data sheets of accelerators, free of the command line: `import ogai; ogai.device.show("h100-sxm-80")`."""

from l0_infra import load_devices
from l0_infra.core.errors import UsageError
from l0_infra.schemas import Device

__all__ = ["poll", "show"]


def poll() -> tuple[Device, ...]:
    """List all data sheets, in order of their names."""
    return load_devices()


def show(name: str) -> Device:
    """Return the data sheet of a name. Raises UsageError with those that are like it."""
    wanted = name.casefold()
    devices = {device.name: device for device in load_devices()}
    if wanted in devices:
        return devices[wanted]
    from difflib import get_close_matches

    like = [known for known in devices if wanted and wanted in known] or get_close_matches(wanted, devices)
    raise UsageError(
        f"device `{name}`",
        found="no such data sheet",
        expected="a name that `ogai device list` shows",
        hint=f"those like it: {', '.join(like)}" if like else "",
    )
