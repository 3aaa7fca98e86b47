"""How long a save holds the training loop up, beside a fsynced `torch.save` of the same state, turn by turn.

    python benchmarks/checkpoint.py [--quick]

The state is that of a Llama of some 50 million parameters under AdamW, on the CPU: weights and moments, 600 MB. What is
timed of ours is everything between two steps of the loop: gathering the state, waiting for the save before, copying.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter

sys.path.insert(0, str(Path(__file__).parent.parent))

import torch
from torch import nn
from transformers import LlamaConfig, LlamaForCausalLM

from l3_modeltools.checkpoint import Saver, Shelf, training_state
from l3_modeltools.schemas import Checkpointing

ROUNDS = 5
FEWEST_STEPS = 3


@dataclass(frozen=True, kw_only=True)
class Round:
    """Times of one round, in seconds."""

    ours_s: float
    torch_save_s: float
    written_s: float
    quiet_step_s: float
    saving_step_s: float


class Training:
    """A model that learns one batch by heart."""

    def __init__(self, *, quick: bool) -> None:
        torch.manual_seed(0)
        size = {"hidden_size": 128, "intermediate_size": 344, "num_hidden_layers": 2, "vocab_size": 1000}
        if not quick:
            size = {
                "hidden_size": 512,
                "intermediate_size": 1376,
                "num_hidden_layers": 10,
                "vocab_size": 16384,
            }
        self.model: nn.Module = LlamaForCausalLM(LlamaConfig(**size, num_attention_heads=8))
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-4, fused=True)
        self.ids = torch.randint(size["vocab_size"], (2, 64))

    def step_s(self) -> float:
        """Take one step and return how long it took."""
        begun = perf_counter()
        logits = self.model(input_ids=self.ids).logits[:, :-1]
        nn.functional.cross_entropy(logits.flatten(0, 1), self.ids[:, 1:].flatten()).backward()
        self.optimizer.step()
        self.optimizer.zero_grad()
        return perf_counter() - begun


def torch_save_s(training: Training, path: Path) -> float:
    """Save with torch.save, durably, and return how long it took."""
    begun = perf_counter()
    with path.open("wb") as stream:
        torch.save(training_state(training.model, training.optimizer), stream)
        stream.flush()
        os.fsync(stream.fileno())
    taken = perf_counter() - begun
    path.unlink()
    return taken


def one_round(training: Training, saver: Saver, number: int, folder: Path) -> Round:
    """Save both ways, with steps between them."""
    theirs = torch_save_s(training, folder / "state.pt")
    quiet = [training.step_s() for _ in range(FEWEST_STEPS)]
    begun = perf_counter()
    saver.save(training_state(training.model, training.optimizer), step=number, tokens=0)
    ours = perf_counter() - begun
    saving = list(steps_while_saving(training, saver))
    saver.wait()
    return Round(
        ours_s=ours,
        torch_save_s=theirs,
        written_s=perf_counter() - begun,
        quiet_step_s=median(quiet),
        saving_step_s=sum(saving) / len(saving),
    )


def steps_while_saving(training: Training, saver: Saver) -> Iterator[float]:
    yield training.step_s()
    while saver.is_saving:
        yield training.step_s()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a small model, few rounds: only to see it run")
    parser.add_argument("--folder", type=Path, help="where to save; default: a temporary folder")
    options = parser.parse_args()
    training = Training(quick=options.quick)
    training.step_s()
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = Path(name)
        keep = Checkpointing(keep_last=1)
        with Saver(Shelf(folder / "checkpoints"), run="b", architecture_sha256="0" * 64, keep=keep) as saver:
            first, *rounds = [
                one_round(training, saver, number, folder)
                for number in range(1, 3 if options.quick else ROUNDS + 2)
            ]
    report(training, first, rounds)


def report(training: Training, first: Round, rounds: list[Round]) -> None:
    parameters = sum(parameter.numel() for parameter in training.model.parameters())
    ours = median(one.ours_s for one in rounds)
    theirs = median(one.torch_save_s for one in rounds)
    slowed = median(one.saving_step_s / one.quiet_step_s for one in rounds)
    print(
        f"{parameters / 1e6:.1f} M parameters, {parameters * 12 / 1e6:.0f} MB, {torch.get_num_threads()} threads"
    )
    print(f"the loop is held up         {ours * 1e3:8.1f} ms   (first save {first.ours_s * 1e3:.1f} ms)")
    print(f"torch.save with fsync       {theirs * 1e3:8.1f} ms")
    print(f"held up ÷ torch.save        {ours / theirs:8.3f}      wanted: at most 0.2")
    print(f"written behind the loop in  {median(one.written_s for one in rounds) * 1e3:8.1f} ms")
    print(f"a step beside a save ÷ one without  {slowed:.2f}")


if __name__ == "__main__":
    main()
