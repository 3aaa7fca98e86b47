"""What runs on a node to sum with others: sent as text to a Python that has torch. Prints one JSON object.

One process for each accelerator, or one without any; each fills a tensor with its number, all are summed, and the
result must be what it is by arithmetic.
"""

import json
import os
import sys
from datetime import timedelta
from importlib import import_module

BYTES = 64 * 2**20
REPEATS = 5


def take_part(rank: int, world: int, local: int, options: dict[str, str]) -> dict[str, object]:
    """Sum with all others and measure it; the speed is that of the bus: 2(n-1)/n of the bytes in the time taken."""
    import time

    import torch
    from torch import distributed

    if options["backend"] == "hccl":
        import_module("torch_npu")  # makes the device and the backend known
    device = {"nccl": f"cuda:{local}", "hccl": f"npu:{local}"}.get(options["backend"], "cpu")
    distributed.init_process_group(
        options["backend"],
        init_method=f"tcp://{options['address']}:{options['port']}",
        rank=rank,
        world_size=world,
        timeout=timedelta(seconds=float(options["limit"])),
    )
    count = BYTES // 4
    best = float("inf")
    for _ in range(REPEATS):
        tensor = torch.full((count,), float(rank + 1), device=device)
        distributed.barrier()
        begun = time.perf_counter()
        distributed.all_reduce(tensor)
        low, high = float(tensor.min()), float(tensor.max())
        best = min(best, time.perf_counter() - begun)
        if low != high or low != world * (world + 1) / 2:
            return {"error": f"wrong sum: {low:g} to {high:g} instead of {world * (world + 1) / 2:g}"}
    distributed.destroy_process_group()
    return {"bytes_per_s": 2 * (world - 1) / world * BYTES / best}


def main(words: list[str]) -> None:
    """Start the processes of this node, and print the worst of what they say."""
    options = dict(word.split("=", 1) for word in words)
    local, node, nodes = (int(options[name]) for name in ("local", "node", "nodes"))
    for name in ("GLOO_SOCKET_IFNAME", "NCCL_SOCKET_IFNAME", "HCCL_SOCKET_IFNAME", "TP_SOCKET_IFNAME"):
        if options.get("interface"):
            os.environ[name] = options["interface"]
    readers = []
    for index in range(local):
        reader, writer = os.pipe()
        if os.fork() == 0:
            try:
                told = take_part(node * local + index, nodes * local, index, options)
            except Exception as error:  # noqa: BLE001  # whatever it is, it is told
                told = {"error": f"{type(error).__name__}: {str(error).splitlines()[0][:300]}"}
            os.write(writer, json.dumps(told).encode())
            os._exit(0)
        os.close(writer)
        readers.append(reader)
    heard = [json.loads(os.read(reader, 4096) or b'{"error": "it died"}') for reader in readers]
    bad = [one for one in heard if "error" in one]
    print(json.dumps(bad[0] if bad else min(heard, key=lambda one: float(one["bytes_per_s"]))))


if __name__ == "__main__":
    main(sys.argv[1:])
