"""What one writes by hand to survive faults: DDP under torchrun, a checkpoint every so many steps, go on from the last.

    torchrun --max-restarts 3 … benchmarks/_recovery.py FOLDER PRESET ROWS LENGTH INTERVAL

Each step is told as a line of `told.jsonl`. What `fault.json` holds is done once: `{"fault": "kill", "step": 40}`.
"""

import json
import math
import os
import signal
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

import torch  # noqa: E402
import torch.distributed as dist  # noqa: E402
from _loops import BETAS, RATE, WEIGHT_DECAY, make_model, make_train  # noqa: E402
from torch.nn import functional  # noqa: E402
from torch.nn.parallel import DistributedDataParallel  # noqa: E402

VICTIM = 1


def main() -> None:
    folder, name = Path(sys.argv[1]), sys.argv[2]
    rows, length, interval = map(int, sys.argv[3:6])
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    model = make_model(make_train(name, rows, length, 1_000_000, folder))
    vocabulary = model.config.vocab_size
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=RATE, betas=BETAS, weight_decay=WEIGHT_DECAY, fused=True
    )
    step = load(folder, model, optimizer)
    wrapped = DistributedDataParallel(model)
    while True:
        step += 1
        seed = torch.Generator().manual_seed(step * dist.get_world_size() + rank)
        batch = torch.randint(0, vocabulary, (rows, length + 1), generator=seed)
        spoilt = strike(folder, step) if rank == VICTIM else 1.0
        logits = wrapped(input_ids=batch[:, :-1], use_cache=False).logits
        loss = functional.cross_entropy(logits.reshape(-1, vocabulary), batch[:, 1:].reshape(-1)) * spoilt
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        told = loss.detach().clone()
        dist.all_reduce(told)
        if rank == 0:
            tell(folder, step, told.item())
            if step % interval == 0:
                keep(folder, step, model, optimizer)


def load(folder: Path, model: torch.nn.Module, optimizer: torch.optim.Optimizer) -> int:
    """Load the checkpoint, if there is one; return its step."""
    if not (file := folder / "checkpoint.pt").exists():
        return 0
    state = torch.load(file)
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    return int(state["step"])


def keep(folder: Path, step: int, model: torch.nn.Module, optimizer: torch.optim.Optimizer) -> None:
    """Save, durably and whole."""
    with (folder / "checkpoint.new").open("wb") as file:
        torch.save({"step": step, "model": model.state_dict(), "optimizer": optimizer.state_dict()}, file)
        file.flush()
        os.fsync(file.fileno())
    (folder / "checkpoint.new").rename(folder / "checkpoint.pt")


def tell(folder: Path, step: int, loss: float) -> None:
    with (folder / "told.jsonl").open("a") as file:
        file.write(json.dumps({"step": step, "at": time.time(), "loss": loss}) + "\n")


def strike(folder: Path, step: int) -> float:
    """Do what is ordered for this step, once; return what the loss is multiplied by."""
    file = folder / "fault.json"
    if not file.exists() or (order := json.loads(file.read_text()))["step"] > step:
        return 1.0
    file.unlink()
    (folder / "fired.json").write_text(json.dumps({"step": step, "at": time.time()}))
    match order["fault"]:
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        case "hang":
            time.sleep(1e6)
    return math.nan


if __name__ == "__main__":
    main()
