"""What is exported is the run's model, as the libraries of others load it."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from peft import AutoPeftModelForCausalLM, PeftModel
from safetensors.torch import load_file
from torch import Tensor, nn
from transformers import AutoModelForCausalLM, AutoTokenizer

from l0_infra.core.errors import MachineError, UnhealthyError, UnsatisfiableError, UsageError
from l3_modeltools.schemas import Lora
from l3_modeltools.training import build_model, export_run, sample_run
from tests.support.run_directories import make_run
from tests.support.tiny_models import FAMILIES, LLAMA, training

TOKENS = torch.arange(3, 19).view(2, 8)


def logits(model: nn.Module) -> Tensor:
    with torch.no_grad():
        answer: Tensor = model.eval()(input_ids=TOKENS).logits
    return answer


@pytest.fixture
def first_weights(tmp_path: Path) -> Path:
    directory = tmp_path / "first"
    build_model(training(LLAMA), LLAMA, seed=9).save_pretrained(directory)  # type: ignore[operator]
    return directory


@pytest.mark.parametrize("family", FAMILIES)
def test_transformers_computes_what_the_run_does(tmp_path: Path, family: str) -> None:
    run, model = make_run(tmp_path, training(FAMILIES[family]))
    assert export_run(run, tmp_path / "out") == tmp_path / "out"
    theirs = AutoModelForCausalLM.from_pretrained(tmp_path / "out")
    assert torch.equal(logits(theirs), logits(model))
    assert next(theirs.parameters()).dtype == torch.float32


def test_an_export_is_complete_and_quiet(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run, _ = make_run(tmp_path, training(LLAMA))
    capfd.readouterr()
    out = export_run(run, tmp_path / "deep" / "out")
    assert capfd.readouterr() == ("", "")
    assert {path.name for path in out.iterdir()} >= {
        "README.md",
        "config.json",
        "generation_config.json",
        "model.safetensors",
        "tokenizer.json",
        "tokenizer_config.json",
    }
    theirs, ours = (AutoTokenizer.from_pretrained(place) for place in (out, tmp_path / "text" / "tokenizer"))
    assert theirs.encode("the fox  sleeps,\n ö!") == ours.encode("the fox  sleeps,\n ö!")
    end = theirs.eos_token_id
    assert end == 0
    assert json.loads((out / "config.json").read_text())["eos_token_id"] == end
    card = (out / "README.md").read_text()
    manifest = hashlib.sha256((tmp_path / "text" / "dataset.json").read_bytes()).hexdigest()
    assert all(
        words in card for words in ("small-1", "| step | 2 of 4 |", "| tokens trained on | 32 |", manifest)
    )
    assert str(tmp_path) not in card
    assert [path.name for path in out.parent.iterdir()] == ["out"]


def test_plain_weights_have_the_models_names(tmp_path: Path) -> None:
    run, model = make_run(tmp_path, training(LLAMA))
    out = export_run(run, tmp_path / "out", format="safetensors")
    assert {path.name for path in out.iterdir()} == {"README.md", "model.safetensors"}
    tensors, weights = load_file(out / "model.safetensors"), dict(model.named_parameters())
    assert tensors.keys() == weights.keys()
    assert all(torch.equal(tensors[name], weights[name]) for name in tensors)


@pytest.mark.filterwarnings(
    "ignore:`is_gradient_checkpointing`:FutureWarning"
)  # peft's own reader asks for it
@pytest.mark.parametrize("family", FAMILIES)
def test_an_adapter_is_exported_by_itself_and_merged(tmp_path: Path, family: str) -> None:
    architecture = FAMILIES[family]
    first = tmp_path / "first"
    build_model(training(architecture), architecture, seed=9).save_pretrained(first)  # type: ignore[operator]
    run, model = make_run(tmp_path, training(architecture, init_from=str(first), lora=Lora(r=2)))
    assert isinstance(model, PeftModel)
    out = export_run(run, tmp_path / "out")
    adapted = AutoPeftModelForCausalLM.from_pretrained(out / "adapter")
    assert torch.equal(logits(adapted), logits(model))
    assert not torch.equal(logits(adapted), logits(AutoModelForCausalLM.from_pretrained(first)))
    merged = AutoModelForCausalLM.from_pretrained(out)
    torch.testing.assert_close(logits(merged), logits(model), rtol=1e-4, atol=1e-5)


def test_all_weights_are_the_runs_though_the_first_ones_are_gone(tmp_path: Path, first_weights: Path) -> None:
    run, model = make_run(tmp_path, training(LLAMA, init_from=str(first_weights)))
    (first_weights / "model.safetensors").unlink()
    out = export_run(run, tmp_path / "out")
    assert torch.equal(logits(AutoModelForCausalLM.from_pretrained(out)), logits(model))


def damage(run: Path, step: int) -> None:
    data = next((run / "checkpoints" / f"step-{step:08}").glob("*.distcp"))
    content = bytearray(data.read_bytes())
    content[len(content) // 2] ^= 1
    data.write_bytes(content)


def test_a_damaged_checkpoint_is_passed_over_and_told(tmp_path: Path) -> None:
    run, _ = make_run(tmp_path, training(LLAMA), steps=(1, 2))
    damage(run, 2)
    card = (export_run(run, tmp_path / "out") / "README.md").read_text()
    assert "| step | 1 of 4 |" in card
    assert "| newer, but passed over | step-00000002: " in card
    with pytest.raises(UnhealthyError, match="step-00000002"):
        export_run(run, tmp_path / "other", step=2)
    assert export_run(run, tmp_path / "other", step=1).is_dir()


def test_a_checkpoint_of_another_run_is_not_taken_for_this_ones(tmp_path: Path) -> None:
    run, _ = make_run(tmp_path, training(LLAMA))
    document = run / "run.json"
    document.write_text(document.read_text().replace("small-1", "small-2"))
    with pytest.raises(UnhealthyError, match="small-1"):
        export_run(run, tmp_path / "out")
    with pytest.raises(UnhealthyError, match="another run"):
        export_run(run, tmp_path / "out", step=2)


def test_without_a_sound_checkpoint_there_is_nothing_to_export(tmp_path: Path) -> None:
    run, _ = make_run(tmp_path, training(LLAMA))
    damage(run, 2)
    with pytest.raises(UnhealthyError, match="no sound checkpoint; step-00000002"):
        export_run(run, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_step_that_was_not_saved_is_refused_with_those_that_were(tmp_path: Path) -> None:
    run, _ = make_run(tmp_path, training(LLAMA), steps=(1, 2))
    with pytest.raises(UnsatisfiableError, match="one of the steps 1, 2"):
        export_run(run, tmp_path / "out", step=7)


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    run, _ = make_run(tmp_path, training(LLAMA))
    (tmp_path / "out").mkdir()
    with pytest.raises(UsageError, match="something there already"):
        export_run(run, tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    run, _ = make_run(tmp_path, training(LLAMA))
    with pytest.raises(MachineError, match="/proc/out: found no such file or directory; expected a new"):
        export_run(run, Path("/proc/out"))
    with pytest.raises(
        UsageError, match=r"found a file at .*run\.json; expected a directory still to be made"
    ):
        export_run(run, run / "run.json" / "far" / "out")


def test_a_failed_export_leaves_nothing(tmp_path: Path) -> None:
    run, _ = make_run(tmp_path, training(LLAMA))
    (tmp_path / "text" / "tokenizer" / "tokenizer.json").unlink()
    before = set(tmp_path.iterdir())
    with pytest.raises(UsageError, match="no tokenizer"):
        export_run(run, tmp_path / "out")
    assert set(tmp_path.iterdir()) == before


def test_a_run_writes_from_its_checkpoint(tmp_path: Path) -> None:
    run, _ = make_run(tmp_path, training(LLAMA), steps=(1, 2))
    texts = sample_run(run, ("the dog", "a fox"), 5)
    assert len(texts) == 2
    assert texts == sample_run(run, ("the dog", "a fox"), 5, step=2)


def test_the_face_loads_no_torch() -> None:
    code = "import sys, l3_modeltools.training; print('torch' in sys.modules)"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout == "False\n"
