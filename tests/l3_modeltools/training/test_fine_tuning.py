"""Models are taught answers and preferences by the real trainer, and what comes of it leaves as it was trained."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from transformers import AutoModelForCausalLM

from l0_infra.core.documents import read_document, render_json
from l2_scheduler.schemas import Resources
from l3_modeltools.data import ChatTemplate, EncodedChat, encode_chat, encode_pair
from l3_modeltools.schemas import Degrees, Dpo, Lora, MixturePart, Run, Strategy, Train
from l3_modeltools.training import build_model, export_run, sample_run
from tests.support.datasets import END, make_dataset
from tests.support.run_directories import make_tokenizer
from tests.support.tiny_models import LLAMA, training

pytestmark = pytest.mark.real

EXAMPLE = Path(__file__).parents[3] / "examples/sft"
TORCHRUN = (sys.executable, "-m", "torch.distributed.run", "--standalone", "--max-restarts=0")
ARCHITECTURE = msgspec.structs.replace(LLAMA, vocab_size=400, max_position_embeddings=256)


@pytest.fixture
def first_weights(tmp_path: Path) -> Path:
    """A small model in the place of the one that the example begins with."""
    directory = tmp_path / "tiny-llama"
    build_model(training(ARCHITECTURE), ARCHITECTURE, seed=9).save_pretrained(directory)  # type: ignore[operator]
    make_tokenizer(directory, ARCHITECTURE.vocab_size)
    return directory


def tokenizer_of(directory: Path) -> Tokenizer:
    return Tokenizer.from_file(str(directory / "tokenizer.json"))


def stored(root: Path, form: str, sides: Sequence[EncodedChat]) -> Path:
    """Write encoded chats as the data set of a run; returns the manifest."""
    make_tokenizer(root / "data" / "tokenizer", ARCHITECTURE.vocab_size)
    documents = [([*side.ids.tolist(), END], [*side.mask.tolist(), 0]) for side in sides]
    make_dataset(root / "data", [documents], form=form, vocab_size=ARCHITECTURE.vocab_size)
    return root / "data" / "dataset.json"


def resolved(train: Train, manifest: Path, first: Path, *, ranks: int) -> Train:
    """Fill a training in as submitting does."""
    assert train.model is not None
    assert train.data is not None
    model = msgspec.structs.replace(train.model, architecture=ARCHITECTURE, init_from=str(first))
    data = msgspec.structs.replace(
        train.data, mixture=(MixturePart(dataset=str(manifest)),), sequence_length=192
    )
    strategy = Strategy(degrees=Degrees(dp=ranks), micro_batch_size=2)
    resources = Resources(tasks_per_node=ranks)
    return msgspec.structs.replace(train, model=model, data=data, strategy=strategy, resources=resources)


def trained(root: Path, train: Train, *, ranks: int) -> Path:
    directory = root / "run"
    directory.mkdir()
    run = Run(run_id="taught-1", train=train, directory=str(directory), submitted_at=1.0)
    (directory / "run.json").write_text(render_json(run))
    subprocess.run(
        [*TORCHRUN, f"--nproc-per-node={ranks}", "-m", "l3_modeltools.training", str(directory)],
        env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": ":".join(sys.path)},
        check=True,
        timeout=300,
    )
    return directory


def losses(run: Path) -> list[float]:
    return [json.loads(line)["loss"] for line in (run / "metrics.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("name", ["train", "train_lora"])
def test_the_example_of_questions_is_learnt(tmp_path: Path, first_weights: Path, name: str) -> None:
    chats = [json.loads(line)["messages"] for line in (EXAMPLE / "chats.jsonl").read_text().splitlines()]
    words = tokenizer_of(first_weights)
    manifest = stored(tmp_path, "chat", [encode_chat(chat, words, ChatTemplate()) for chat in chats])
    train = read_document(EXAMPLE / f"{name}.yaml", expect=Train, settings=["optimizer.learning_rate=0.01"])
    run = trained(tmp_path, resolved(train, manifest, first_weights, ranks=1), ranks=1)
    told = losses(run)
    assert told[-1] < told[0] - (0.1 if name == "train_lora" else 1.0)
    out = export_run(run, tmp_path / "out")
    assert (out / "adapter").exists() == (name == "train_lora")
    tokens = torch.arange(12).view(1, 12)
    taught, before = (AutoModelForCausalLM.from_pretrained(place) for place in (out, first_weights))
    assert not torch.allclose(taught(input_ids=tokens).logits, before(input_ids=tokens).logits)
    assert len(sample_run(run, ("How do I",), 4)) == 1


def test_preferences_are_learnt_by_an_adapter_on_two_ranks(tmp_path: Path, first_weights: Path) -> None:
    words = tokenizer_of(first_weights)
    sides = [
        side
        for number in ("one", "two", "three", "four", "five", "six", "seven", "eight")
        for side in encode_pair(
            {"prompt": f"say {number}", "chosen": f"the fox {number}", "rejected": f"{number} lazy dogs"},
            words,
            ChatTemplate(),
        )
    ]
    manifest = stored(tmp_path, "preference", sides)
    train = training(ARCHITECTURE, objective=Dpo(beta=0.5), init_from=str(first_weights), lora=Lora(r=4))
    optimizer = msgspec.structs.replace(train.optimizer, learning_rate=0.01)
    train = msgspec.structs.replace(train, steps=12, optimizer=optimizer)
    run = trained(tmp_path, resolved(train, manifest, first_weights, ranks=2), ranks=2)
    told = losses(run)
    assert told[0] == pytest.approx(0.6931, abs=1e-3)  # ln 2: nothing has moved
    assert told[-1] < 0.5
    adapter = load_file(export_run(run, tmp_path / "out") / "adapter" / "adapter_model.safetensors")
    assert all("lora_" in name for name in adapter)
