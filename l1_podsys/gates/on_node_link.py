"""What runs on both nodes of a pair to measure what is between them: sent as text to their Python.

One end listens, the other calls it; each sends for a moment and receives for a moment, several times, and prints what
it received in bytes a second. A receiver that has seen enough hangs up, so that a slow link costs little more time.
"""

import contextlib
import json
import socket
import sys
import time
from collections.abc import Iterator

SECONDS = 0.4
MOST_BYTES = 64 * 2**20
"""Whichever is reached first ends a burst."""
BLOCK_BYTES = 2**18
BUFFER_BYTES = 2**20
"""What a sender may leave on the way."""
RETRY_S = 0.1
PATIENCE_S = 5.0
"""For what comes first over a link, which may be very slow."""


def send(there: socket.socket) -> None:
    """Send until it is enough, or the other end has seen enough."""
    block = bytes(BLOCK_BYTES)
    end = time.perf_counter() + 2 * SECONDS
    there.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER_BYTES)
    there.settimeout(2 * SECONDS)
    sent = 0
    with contextlib.suppress(OSError):  # a reset, or a wait that is too long, is the end of it
        while sent < MOST_BYTES and time.perf_counter() < end:
            sent += there.send(block)
        there.shutdown(socket.SHUT_WR)
        while there.recv(1):
            pass


def receive(there: socket.socket) -> float:
    """Receive for a moment; bytes a second after the first that came, for those say when the sender began."""
    buffer = memoryview(bytearray(BLOCK_BYTES))
    there.settimeout(PATIENCE_S)
    got = 0
    there.recv_into(buffer)
    begun = time.perf_counter()
    there.settimeout(SECONDS)
    with contextlib.suppress(TimeoutError):
        while time.perf_counter() < begun + SECONDS and (count := there.recv_into(buffer)):
            got += count
    return max(got, 1) / max(time.perf_counter() - begun, 1e-6)


@contextlib.contextmanager
def heard(listener: socket.socket, token: bytes) -> Iterator[socket.socket]:
    """Accept the one who knows the token; anybody else is hung up on."""
    while True:
        there, _ = listener.accept()
        with there:
            there.settimeout(PATIENCE_S)
            if knows(there, token):
                yield there
                return


def knows(there: socket.socket, token: bytes) -> bool:
    """Whether the other end sends the token."""
    with contextlib.suppress(OSError):
        return there.recv(len(token), socket.MSG_WAITALL) == token
    return False


@contextlib.contextmanager
def called(options: dict[str, str], end: float) -> Iterator[socket.socket]:
    """Call the other end, which may not listen yet."""
    while True:
        try:
            there = socket.create_connection((options["address"], int(options["port"])), timeout=PATIENCE_S)
            break
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(RETRY_S)
    with there:
        there.sendall(options["token"].encode())
        yield there


def listen(options: dict[str, str]) -> list[float]:
    """Be the end that is called: receive first."""
    both = socket.has_dualstack_ipv6()
    family = socket.AF_INET6 if both else socket.AF_INET
    rates = []
    with socket.create_server(("", int(options["port"])), family=family, dualstack_ipv6=both) as listener:
        listener.settimeout(float(options["limit"]))
        for _ in range(int(options["bursts"])):
            with heard(listener, options["token"].encode()) as there:
                rates.append(receive(there))
            with heard(listener, options["token"].encode()) as there:
                send(there)
    return rates


def call(options: dict[str, str]) -> list[float]:
    """Be the end that calls: send first."""
    end = time.monotonic() + float(options["limit"])
    rates = []
    for _ in range(int(options["bursts"])):
        with called(options, end) as there:
            send(there)
        with called(options, end) as there:
            rates.append(receive(there))
    return rates


def main(words: list[str]) -> None:
    """Take part as `end=listen|call` says, and print the speeds, or why there are none."""
    options = dict(word.split("=", 1) for word in words)
    try:
        told: dict[str, object] = {"in": listen(options) if options["end"] == "listen" else call(options)}
    except Exception as error:  # noqa: BLE001  # whatever it is, it is told
        told = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(told))


if __name__ == "__main__":
    main(sys.argv[1:])
