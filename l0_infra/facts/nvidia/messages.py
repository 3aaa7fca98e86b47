"""What `nvidia-smi` says instead of, before or after its answer, and what can be done about it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from l0_infra.facts.bundle import Answer
from l0_infra.facts.nvidia.sources import TOOL
from l0_infra.facts.vendor import pci_address
from l0_infra.schemas import Unread

__all__ = [
    "Lost",
    "corrupted",
    "describe_lost",
    "find_lost",
    "find_mismatch",
    "is_whole",
    "plain",
    "troubles",
]

MISMATCH = "Driver/library version mismatch"
ADDRESS = r"[0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-7]"
LOST_LINE = re.compile(
    rf"Unable to determine the device handle for GPU ?(?:[0-9]{{1,3}}: )?({ADDRESS})?[^\n]*", re.I
)
CORRUPTED_LINE = re.compile(rf"WARNING: infoROM is corrupted at gpu ({ADDRESS})[^\n]*", re.I)

COMPLAINT = re.compile(
    r"^(?:NVIDIA-SMI has failed|Failed to initialize NVML|No devices were found)[^\n]*", re.I | re.M
)

CORRUPTED_CODE = 14
"""Exit code of `nvidia-smi` that says no more than such a warning does; its answer is whole."""

HINTS = (
    (
        "communicate with the NVIDIA driver",
        "the kernel module is not loaded: try `modprobe nvidia`; if that fails, `dmesg` tells whether it was built for"
        " this kernel, is signed for Secure Boot, or is kept out by nouveau",
    ),
    (
        "No devices were found",
        "the driver runs but has no GPU: compare with `lspci -d 10de:`; `dmesg` tells why one was given up"
        " (Xid, fallen off the bus, RmInitAdapter failed)",
    ),
    ("Insufficient Permissions", "look as root"),
)
LOST_HINT = (
    "the GPU no longer answers: look for its Xid in `dmesg`, then reset it (`nvidia-smi --gpu-reset -i ADDRESS`),"
    " reboot, or switch the node's power off and on; if it comes back, reseat or replace it"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Lost:
    """A GPU that the driver knows of and cannot reach."""

    address: str | None
    line: str


def find_lost(*answers: Answer) -> tuple[Lost, ...]:
    """List the GPUs that `nvidia-smi` cannot reach, each once, however often and however spelled it is told."""
    found: dict[str, Lost] = {}
    for match in (match for answer in answers for match in LOST_LINE.finditer(f"{answer.out}\n{answer.err}")):
        address = pci_address(match[1] or "")
        found.setdefault(address or match[0], Lost(address=address, line=match[0].strip()))
    return tuple(found.values())


def corrupted(*answers: Answer) -> frozenset[str]:
    """List the PCI addresses of the GPUs whose infoROM is corrupted."""
    texts = (f"{answer.out}\n{answer.err}" for answer in answers)
    told = (pci_address(match[1]) for text in texts for match in CORRUPTED_LINE.finditer(text))
    return frozenset(address for address in told if address)


def find_mismatch(module: str, *answers: Answer) -> Unread | None:
    """Say that kernel module and library are of different versions, where the tool complains of that."""
    text = "\n".join(f"{answer.out}\n{answer.err}" for answer in answers)
    if MISMATCH not in text:
        return None
    library = re.search(r"NVML library version: ([0-9.]{1,20})", text)
    kernel = re.search(r"NVRM version:[^\n]{0,200}?\s([0-9]{1,4}(?:\.[0-9]{1,4}){1,3})\s", module[:2000])
    return Unread(
        what=TOOL,
        reason="driver mismatch",
        detail=f"the loaded kernel module is {kernel[1] if kernel else 'of an unknown version'},"
        f" the library is {library[1] if library else 'of another version'}",
        hint="the driver was updated under a running kernel: reboot, or reload the nvidia modules",
    )


def is_whole(answer: Answer) -> bool:
    """Return whether nothing is missing of an answer."""
    return answer.code in (0, CORRUPTED_CODE)


def plain(out: str) -> str:
    """Take such messages out of an answer, so that what is left is rows."""
    return CORRUPTED_LINE.sub("", LOST_LINE.sub("", out))


def troubles(what: str, answer: Answer) -> Iterator[Unread]:
    """Yield why an answer is not whole, but for GPUs that are lost: those are told by themselves.

    A file gathered by hand has no exit code; what it complains of counts alike.
    """
    if find_lost(answer):
        return
    complaint = COMPLAINT.search(answer.out)
    if answer.ok and complaint is not None:
        yield _with_hint(Unread(what=what, reason="failed", detail=complaint[0].strip()[:200]))
    elif answer.code != CORRUPTED_CODE:
        yield from map(_with_hint, answer.unread(what))


def describe_lost(line: str) -> Unread:
    """Say of a lost GPU what can be done; `line` is what told of it."""
    return Unread(what=TOOL, reason="failed", detail=line[:200], hint=LOST_HINT)


def _with_hint(fault: Unread) -> Unread:
    hint = next((hint for words, hint in HINTS if words in fault.detail), fault.hint)
    return Unread(what=fault.what, reason=fault.reason, detail=fault.detail, hint=hint)
