"""What runs on a node to measure it: sent as text to its Python, with nothing but the standard library.

Prints one JSON object: a speed under each name it was asked for, `error-NAME` where that failed, and under `held NAME`
the share of the time in which the processors were had.
"""

import json
import mmap
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

CHUNK = 20_000
COPY_BYTES = 32 * 2**20
STORAGE_BYTES = 64 * 2**20
BLOCK_BYTES = 4 * 2**20
MATRIX_BURSTS = 3


def burst_cpu(seconds: float) -> float:
    """Count loops of integer work; one burst of 0.3 s or more sees the average of a quota, not its beginning."""
    begun = time.perf_counter()
    done, value = 0, 1
    while (now := time.perf_counter()) < begun + seconds:
        for _ in range(CHUNK):
            value = (value * 1103515245 + 12345) & 0x7FFFFFFF
        done += CHUNK
    return done / (now - begun)


def burst_memory(seconds: float) -> float:
    """Copy between two buffers larger than any cache; bytes a second, read and written."""
    source, target = mmap.mmap(-1, COPY_BYTES), mmap.mmap(-1, COPY_BYTES)
    ones = b"\1" * 2**20
    for at in range(0, COPY_BYTES, len(ones)):
        source[at : at + len(ones)] = ones
        target[at : at + len(ones)] = ones
    begun = time.perf_counter()
    done = 0
    view, into = memoryview(source), memoryview(target)
    while (now := time.perf_counter()) < begun + seconds:
        into[:] = view
        done += 2 * COPY_BYTES
    return done / (now - begun)


def on_all(burst: Callable[[float], float], seconds: float) -> tuple[float, float]:
    """Run a burst on every processor this may use, at once; the sum of their speeds, and the share of time had."""
    pipes = []
    before = os.times()
    begun = time.perf_counter()
    for processor in sorted(os.sched_getaffinity(0)):
        reader, writer = os.pipe()
        if os.fork() == 0:
            os.sched_setaffinity(0, {processor})
            os.write(writer, repr(burst(seconds)).encode())
            os._exit(0)
        os.close(writer)
        pipes.append(reader)
    total = 0.0
    for reader in pipes:
        total += float(os.read(reader, 64) or b"0")
        os.close(reader)
    for _ in pipes:
        os.wait()
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return total, used / ((time.perf_counter() - begun) * len(pipes))


def matrix(seconds: float, where: str, size: int = 1024) -> list[float]:
    """Multiply matrices, some bursts, in operations a second; on CPUs with numpy, which starts sooner than torch."""
    if where != "cpu":
        return [torch_matrix(seconds, size) for _ in range(MATRIX_BURSTS)]
    try:
        import numpy
    except ImportError:
        return [torch_matrix(seconds, size) for _ in range(MATRIX_BURSTS)]
    left = numpy.random.default_rng(0).random((size, size), dtype=numpy.float32)
    left @ left
    return [repeat(lambda: left @ left, seconds) * 2 * size**3 for _ in range(MATRIX_BURSTS)]


def repeat(work: Callable[[], object], seconds: float) -> float:
    """Do work until the time is over; how often a second."""
    begun, done = time.perf_counter(), 0
    while (now := time.perf_counter()) < begun + seconds:
        work()
        done += 1
    return done / (now - begun)


def torch_matrix(seconds: float, size: int) -> float:
    """Multiply on all accelerators of the node one after the other, and return the slowest; on none, on the CPUs."""
    import torch

    kind = torch.accelerator.current_accelerator() if hasattr(torch, "accelerator") else None
    found = torch.accelerator.device_count() if kind is not None else 0
    names = [f"{kind.type}:{index}" for index in range(found) if kind is not None] or ["cpu"]
    return min(torch_one(name, seconds, size if name == "cpu" else 8192) for name in names)


def torch_one(name: str, seconds: float, size: int) -> float:
    """Multiply on one device; a result that is wrong is an error, not a speed."""
    import torch

    def wait() -> None:
        if name != "cpu":
            torch.accelerator.synchronize(name)

    left = torch.ones(size, size, device=name, dtype=torch.float32 if name == "cpu" else torch.bfloat16)
    if float((left @ left)[0, 0]) != size:
        raise ArithmeticError(f"{name} multiplies wrongly")
    wait()

    def multiply() -> None:
        left @ left
        wait()

    return repeat(multiply, seconds) * 2 * size**3


def storage(folder: str) -> tuple[float, float]:
    """Write a file and read it back past the cache; bytes a second of each. What is read must be what was written."""
    path = f"{folder}/.ogai-check.{os.uname().nodename}.{os.getpid()}"
    block = os.urandom(BLOCK_BYTES)
    count = STORAGE_BYTES // BLOCK_BYTES
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        begun = time.perf_counter()
        for _ in range(count):
            os.write(file, block)
        os.fsync(file)
        written = time.perf_counter() - begun
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
        begun = time.perf_counter()
        for index in range(count):
            if os.pread(file, BLOCK_BYTES, index * BLOCK_BYTES) != block:
                raise OSError("what was read is not what was written")
        return STORAGE_BYTES / written, STORAGE_BYTES / (time.perf_counter() - begun)
    finally:
        os.close(file)
        Path(path).unlink()


def measure(what: str, argument: str, seconds: float, found: dict[str, object]) -> None:
    """Measure one thing."""
    if what in ("cpu", "memory"):
        speed, held = on_all(burst_cpu if what == "cpu" else burst_memory, seconds)
        found[what] = speed
        found[f"held {what}"] = held
    elif what == "matrix":
        found[what] = matrix(seconds, argument)
    elif what == "storage":
        found[f"write {argument}"], found[f"read {argument}"] = storage(argument)


def main(asked: list[str]) -> None:
    """Measure what is asked for: `cpu`, `memory`, `matrix=cpu|accelerator`, `storage=/folder`.

    Each lasts as long as `seconds=` says.
    """
    seconds = 0.4
    found: dict[str, object] = {}
    for word in asked:
        what, _, argument = word.partition("=")
        if what == "seconds":
            seconds = float(argument)
            continue
        try:
            measure(what, argument, seconds, found)
        except Exception as error:  # noqa: BLE001  # what fails is told, the rest is measured
            found[f"error-{word}"] = f"{type(error).__name__}: {error}"
    found["cpus"] = len(os.sched_getaffinity(0))
    found["python"] = Path(sys.executable).name
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1:])
