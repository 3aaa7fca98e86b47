"""What the supervisor and the nursery tell each other, one message a packet."""

import msgspec

__all__ = [
    "Born",
    "Died",
    "Handles",
    "Instruction",
    "Kill",
    "Ready",
    "Report",
    "Spawn",
    "pack",
    "unpack",
    "unpack_instruction",
]


class Handles(msgspec.Struct, frozen=True, kw_only=True):
    """File descriptors that the nursery and every rank inherit; of lists, one for each rank of the node."""

    channel: int
    """The nursery's end of the socket that these messages travel on."""
    page: int
    memory: tuple[int, ...]
    words: tuple[int, ...]
    stacks: tuple[int, ...]
    logs: tuple[int, ...]


class Spawn(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Fork all ranks, which are to meet at `port` of this machine."""

    generation: int
    port: int


class Kill(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Send a signal to a rank that was not reaped yet."""

    rank: int
    signal: int


class Ready(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Everything is imported."""


class Born(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """All ranks were forked."""

    generation: int
    pids: tuple[int, ...]


class Died(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """A rank ended; `exit_code` is below zero for a signal."""

    generation: int
    rank: int
    exit_code: int


Instruction = Spawn | Kill
Report = Ready | Born | Died

ENCODER = msgspec.json.Encoder()
INSTRUCTIONS = msgspec.json.Decoder(Instruction)
REPORTS = msgspec.json.Decoder(Report)


def pack(message: Instruction | Report) -> bytes:
    """Write a message."""
    return ENCODER.encode(message)


def unpack(packet: bytes) -> Report:
    """Read what the nursery said."""
    return REPORTS.decode(packet)


def unpack_instruction(packet: bytes) -> Instruction:
    """Read what the supervisor told it to do."""
    return INSTRUCTIONS.decode(packet)
