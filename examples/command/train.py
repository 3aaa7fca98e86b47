"""Learns to tell which of ten directions a noisy vector points to, and goes on where it was when it is killed."""

import json
import os
import time
from pathlib import Path

import torch

STEPS, SAVE_EVERY, BATCH = int(os.environ.get("STEPS", "300")), 50, 64
RUN, RESUME = Path(os.environ["OGAI_RUN_DIR"]), os.environ["OGAI_RESUME_DIR"]

torch.manual_seed(0)
directions = torch.randn(10, 16)
model = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.ReLU(), torch.nn.Linear(64, 10))
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
done = 0
if RESUME:  # the newest checkpoint; empty at the first start
    state = torch.load(f"{RESUME}/state.pt")
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    done = state["step"]
    print(f"going on after step {done}")

with Path(os.environ["OGAI_METRICS"]).open("a", buffering=1) as metrics:
    for step in range(done + 1, STEPS + 1):
        torch.manual_seed(step)  # the batch is a function of the step, so that a resumed run sees the same
        labels = torch.randint(10, (BATCH,))
        loss = torch.nn.functional.cross_entropy(model(directions[labels] + torch.randn(BATCH, 16)), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        metrics.write(json.dumps({"step": step, "at": time.time(), "loss": loss.item()}) + "\n")
        if step % SAVE_EVERY == 0 or step == STEPS:
            whole = RUN / "checkpoints" / f"step-{step}"
            partial = whole.with_name(f"{whole.name}.partial")  # a name that is never resumed from
            partial.mkdir(parents=True, exist_ok=True)
            state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step}
            torch.save(state, partial / "state.pt")
            partial.rename(whole)
