"""A noisy neighbour: bursts of work, of memory and of writes, with pauses between; `neighbour.py FOLDER SEED`."""

import os
import random
import sys
import time
from pathlib import Path

MEMORY_BYTES = 256 << 20
DISK_BYTES = 64 << 20
PIECE = 1 << 20
LONGEST_S = 4.0


def compute(seconds: float) -> None:
    until, number = time.monotonic() + seconds, 1
    while time.monotonic() < until:
        number = number * 3 % 1_000_003


def take_memory(seconds: float) -> None:
    block = bytearray(MEMORY_BYTES)
    for place in range(0, MEMORY_BYTES, 4096):
        block[place] = 1
    time.sleep(seconds / 4)


def write(folder: Path) -> None:
    file = folder / f"noise-{os.getpid()}"
    with file.open("wb") as opened:
        for _ in range(DISK_BYTES // PIECE):
            opened.write(os.urandom(PIECE))
        os.fsync(opened.fileno())
    file.unlink()


def main(folder: Path, rng: random.Random) -> None:
    while True:
        seconds = rng.uniform(0.5, LONGEST_S)
        match rng.randrange(3):
            case 0:
                compute(seconds)
            case 1:
                take_memory(seconds)
            case _:
                write(folder)
        time.sleep(rng.uniform(0.1, LONGEST_S))


if __name__ == "__main__":
    main(Path(sys.argv[1]), random.Random(int(sys.argv[2])))
