"""Switches that are only heard: LLDP frames as a switch would send them, put on the far ends of hosts' cables.

A lab's bridge keeps such frames to itself, as every bridge must (IEEE 802.1Q, addresses 01:80:c2:00:00:0x); so each
cable may tell of a switch of its own.
"""

import socket
import struct

__all__ = ["send_frame"]

TO = bytes.fromhex("0180c200000e")
BRIDGE = 1 << 2


def send_frame(cable: str, switch: str, number: int, *, seconds: int = 3600) -> None:
    """Tell who is at the other end of a cable that a switch is; after 0 seconds it is gone."""
    mac = bytes((2, 0, 0, 0, 9, number))
    parts = (
        (1, b"\x04" + mac),
        (2, b"\x05" + b"swp1"),
        (3, struct.pack("!H", seconds)),
        *(((5, switch.encode()), (7, struct.pack("!HH", BRIDGE, BRIDGE))) if seconds else ()),
        (0, b""),
    )
    body = b"".join(struct.pack("!H", kind << 9 | len(value)) + value for kind, value in parts)
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as wire:
        wire.bind((cable, 0))
        wire.send(TO + mac + b"\x88\xcc" + body)
