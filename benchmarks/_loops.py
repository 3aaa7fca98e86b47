"""Three ways to train the same model on the same shapes, each told to print when its steps ended.

    python benchmarks/_loops.py WAY PRESET ROWS LENGTH STEPS FOLDER

`ogai` is the project's trainer as torchrun starts it; `bare` is the loop one writes by hand; `trainer` is Hugging
Face's. All: the same transformers class and random weights, fp32, fused AdamW, gradients clipped to 1, cosine.
"""

import json
import math
import os
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

import torch  # noqa: E402
from torch.nn import functional  # noqa: E402
from transformers import PreTrainedModel, Trainer, TrainerCallback, TrainingArguments  # noqa: E402

from l0_infra.core.documents import render_json  # noqa: E402
from l3_modeltools.architectures import preset  # noqa: E402
from l3_modeltools.schemas import (  # noqa: E402
    Compute,
    Cosine,
    Degrees,
    MixturePart,
    Optimizer,
    Run,
    Strategy,
    Train,
    TrainedModel,
    TrainingData,
    Validation,
)

RATE, WEIGHT_DECAY, BETAS = 3e-4, 0.1, (0.9, 0.95)


def make_train(name: str, rows: int, length: int, steps: int, folder: Path) -> Train:
    """Make the training that `ogai` runs, and whose model all train."""
    return Train(
        name="bench",
        model=TrainedModel(architecture=preset(name)),
        data=TrainingData(
            mixture=(MixturePart(dataset=str(folder / "data" / "dataset.json")),),
            sequence_length=length,
            global_batch_size=rows,
        ),
        steps=steps,
        optimizer=Optimizer(learning_rate=RATE, schedule=Cosine(final_share=0.0)),
        compute=Compute(precision="fp32"),
        validation=Validation(every_steps=steps),
        strategy=Strategy(degrees=Degrees(dp=1), micro_batch_size=rows),
    )


def make_model(train: Train) -> PreTrainedModel:
    """Build the model that every way trains."""
    from l3_modeltools.training import build_model

    model = build_model(train, preset(train.model.architecture.name), seed=0)  # type: ignore[union-attr]
    assert isinstance(model, PreTrainedModel)
    return model


def make_rows(vocabulary: int, rows: int, length: int) -> torch.Tensor:
    return torch.randint(0, vocabulary, (rows, length), generator=torch.Generator().manual_seed(0))


def run_ogai(train: Train, folder: Path) -> list[float]:
    """Run the trainer's own program in this process; read from its metrics when each step ended."""
    from l3_modeltools.training.__main__ import main

    folder = folder / f"run-{os.getpid()}"
    folder.mkdir()
    run = Run(run_id="bench", train=train, directory=str(folder), submitted_at=time.time())
    (folder / "run.json").write_text(render_json(run))
    os.environ |= {"RANK": "0", "WORLD_SIZE": "1", "LOCAL_RANK": "0"}
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "0"}
    sys.stdout = sys.stderr
    if main(folder):
        sys.exit("the trainer failed")
    lines = (folder / "metrics.jsonl").read_text().splitlines()
    return [json.loads(line)["at"] for line in lines[:-1]]  # the last step is validated before it is told


def run_bare(train: Train, rows: int, length: int, steps: int) -> list[float]:
    """Train as one does by hand."""
    model = make_model(train)
    model.train()
    vocabulary = model.config.vocab_size
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=RATE, betas=BETAS, weight_decay=WEIGHT_DECAY, fused=True
    )
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: (1 + math.cos(math.pi * step / steps)) / 2
    )
    data = make_rows(vocabulary, rows * steps, length + 1)
    times = []
    for batch in data.split(rows):
        logits = model(input_ids=batch[:, :-1], use_cache=False).logits
        loss = functional.cross_entropy(logits.reshape(-1, vocabulary), batch[:, 1:].reshape(-1))
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
        loss.item()
        times.append(time.time())
    return times


def run_trainer(train: Train, rows: int, length: int, steps: int, folder: Path) -> list[float]:
    """Train with Hugging Face's Trainer, which wants the labels unshifted."""
    model = make_model(train)
    data = make_rows(model.config.vocab_size, rows * steps, length)
    times: list[float] = []

    class Clock(TrainerCallback):
        def on_step_end(self, *args: object, **kwargs: object) -> None:
            times.append(time.time())

    arguments = TrainingArguments(
        output_dir=str(folder / "trainer"),
        use_cpu=True,
        per_device_train_batch_size=rows,
        max_steps=steps,
        learning_rate=RATE,
        lr_scheduler_type="cosine",
        weight_decay=WEIGHT_DECAY,
        adam_beta1=BETAS[0],
        adam_beta2=BETAS[1],
        optim="adamw_torch_fused",
        max_grad_norm=1.0,
        logging_steps=10,
        save_strategy="no",
        report_to="none",
        disable_tqdm=True,
    )
    samples = [{"input_ids": row, "labels": row} for row in data]
    sys.stdout = sys.stderr
    Trainer(model=model, args=arguments, train_dataset=samples, callbacks=[Clock()]).train()  # type: ignore[arg-type]
    return times


def main() -> None:
    way, name, (rows, length, steps), folder = (
        sys.argv[1],
        sys.argv[2],
        map(int, sys.argv[3:6]),
        Path(sys.argv[6]),
    )
    train = make_train(name, rows, length, steps, folder)
    out = sys.stdout
    match way:
        case "ogai":
            times = run_ogai(train, folder)
        case "bare":
            times = run_bare(train, rows, length, steps)
        case _:
            times = run_trainer(train, rows, length, steps, folder)
    print(json.dumps(times), file=out)


if __name__ == "__main__":
    main()
