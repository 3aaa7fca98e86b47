"""How data sheets of accelerators look to a person."""

from collections.abc import Iterator, Sequence

from l0_infra.core.units import format_bytes
from l0_infra.schemas import Device, DeviceLink, DeviceSource
from ogai.render.table import Column, print_fields, print_table

__all__ = ["describe_device", "print_device", "print_devices"]

UNKNOWN = "-"
SHOWN = ("fp16", "bf16", "fp8", "fp4")
"""Precisions that a list shows."""


def print_devices(devices: Sequence[Device]) -> None:
    """Print one line each on stdout; a dash stands for what is not published, or not there."""
    print_table(
        (
            Column[Device](title="NAME", value=lambda one: one.name),
            Column[Device](title="MEMORY", value=lambda one: format_bytes(one.memory_bytes), align="right"),
            Column[Device](
                title="BANDWIDTH", value=lambda one: _speed(one.memory_bandwidth_bytes_per_s), align="right"
            ),
            *(_peak_column(precision) for precision in SHOWN),
            Column[Device](title="LINKS", value=lambda one: ", ".join(map(_link, one.links)) or UNKNOWN),
        ),
        devices,
    )


def print_device(device: Device) -> None:
    """Print everything on stdout."""
    print_fields(list(describe_device(device)))


def describe_device(device: Device) -> Iterator[tuple[str, str]]:
    """Yield names and values; a name without a value heads what follows."""
    yield device.model, ""
    yield "  name", device.name
    yield "  printed as", ", ".join(device.printed_names)
    if device.accelerators_per_package > 1:
        yield "  package", f"holds {device.accelerators_per_package}; the numbers are those of one"
    yield "  memory", f"{format_bytes(device.memory_bytes)} at {_speed(device.memory_bandwidth_bytes_per_s)}"
    yield "Peak, dense", "" if device.peak else "not published"
    for peak in device.peak:
        yield f"  {peak.precision}", _rate(peak.flop_per_s, peak.precision)
    yield "Links, one way", "" if device.links else "none known"
    for link in device.links:
        yield f"  {link.kind}", f"{link.count} × {_speed(link.bandwidth_bytes_per_s / link.count)}"
    yield "Sources", ""
    for source in device.sources:
        yield from _source(source)
    for at, note in enumerate(device.notes):
        yield "" if at else "Notes", note


def _peak_column(precision: str) -> Column[Device]:
    return Column(title=precision.upper(), value=lambda one: _peak(one, precision), align="right")


def _peak(device: Device, precision: str) -> str:
    rate = next((peak.flop_per_s for peak in device.peak if peak.precision == precision), None)
    return UNKNOWN if rate is None else _rate(rate, precision)


def _rate(per_s: float, precision: str) -> str:
    """Write operations a second; those on integers are no FLOPs."""
    return f"{per_s / 1e12:,.6g} {'TOPS' if precision.startswith('int') else 'TFLOPS'}"


def _speed(bytes_per_s: float) -> str:
    return f"{bytes_per_s / 1e12:.4g} TB/s" if bytes_per_s >= 1e12 else f"{bytes_per_s / 1e9:.4g} GB/s"


def _link(link: DeviceLink) -> str:
    return f"{link.kind} {_speed(link.bandwidth_bytes_per_s)}"


def _source(source: DeviceSource) -> Iterator[tuple[str, str]]:
    whose = "; not the vendor's" if source.secondary else ""
    yield f"  {', '.join(source.subjects)}", f"{source.title}{whose}"
    yield "", source.url
