"""The losses mean what the papers and transformers say, and count what they should."""

import copy
import math
from collections.abc import Mapping
from dataclasses import replace

import msgspec
import pytest
import torch
from peft import PeftModel
from torch import Tensor, nn
from torch.nn import functional

from l0_infra.core.errors import UnsatisfiableError
from l3_modeltools.data import Batch, PairBatch
from l3_modeltools.schemas import Dpo, Lora, Sft
from l3_modeltools.training.model import build_model
from l3_modeltools.training.objectives import objective_of
from tests.support.tiny_models import BLOOM, FAMILIES, LLAMA, training

VOCABULARY = LLAMA.vocab_size


def batch_of(rows: int, length: int, seed: int = 0) -> Batch:
    tokens = torch.randint(VOCABULARY, (rows, length + 1), generator=torch.Generator().manual_seed(seed))
    return Batch(input_ids=tokens[:, :-1].contiguous(), labels=tokens[:, 1:].contiguous())


def gradients(model: nn.Module, loss: Tensor) -> Mapping[str, Tensor]:
    model.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    return {name: value.grad.clone() for name, value in model.named_parameters() if value.grad is not None}


@pytest.mark.parametrize("family", FAMILIES)
def test_pretraining_is_what_transformers_computes_with_labels(family: str) -> None:
    architecture = FAMILIES[family]
    train = training(architecture)
    model = build_model(train, architecture, seed=1)
    batch = batch_of(3, 12)
    loss = objective_of(train, model).loss(model, batch)
    mine = gradients(model, loss.sum / loss.count)
    tokens = torch.cat((batch.input_ids, batch.labels[:, -1:]), 1)
    theirs = model(input_ids=tokens, labels=tokens).loss
    torch.testing.assert_close(loss.sum / loss.count, theirs)
    torch.testing.assert_close(mine, gradients(model, theirs))


def test_the_mean_is_over_tokens_not_of_means() -> None:
    train = training(LLAMA, objective=Sft())
    model = build_model(train, LLAMA, seed=1)
    whole = batch_of(2, 10)
    whole.labels[0, 2:] = -100  # one row counts 2 tokens, the other 10
    objective = objective_of(train, model)
    rows = [
        Batch(input_ids=whole.input_ids[row : row + 1], labels=whole.labels[row : row + 1]) for row in (0, 1)
    ]
    parts = [objective.loss(model, row) for row in rows]
    assert [part.count for part in parts] == [objective.count(row) for row in rows] == [2, 10]
    logits = model(input_ids=whole.input_ids).logits
    mean = functional.cross_entropy(logits.flatten(0, 1), whole.labels.flatten())
    torch.testing.assert_close(sum(part.sum for part in parts) / 12, mean)


def test_what_follows_an_ignored_label_alone_moves_nothing() -> None:
    train = training(LLAMA, objective=Sft())
    model = build_model(train, LLAMA, seed=1)
    batch = batch_of(2, 8)
    batch.labels[:, 5:] = -100
    changed = replace(batch, input_ids=batch.input_ids.clone())
    changed.input_ids[:, 5:] = 3
    objective = objective_of(train, model)
    before = gradients(model, objective.loss(model, batch).sum)
    torch.testing.assert_close(gradients(model, objective.loss(model, changed).sum), before)


def test_a_batch_in_which_nothing_counts_costs_nothing() -> None:
    train = training(LLAMA, objective=Sft())
    model = build_model(train, LLAMA, seed=1)
    batch = batch_of(2, 8)
    loss = objective_of(train, model).loss(model, replace(batch, labels=torch.full_like(batch.labels, -100)))
    assert loss.count == 0
    assert all(not grad.any() for grad in gradients(model, loss.sum).values())


@pytest.mark.parametrize("family", [name for name in FAMILIES if name != "bloom"])
def test_packed_documents_cost_what_they_cost_alone(family: str) -> None:
    train = training(FAMILIES[family])
    model = build_model(train, FAMILIES[family], seed=1)
    objective = objective_of(train, model)
    lengths = [(5, 1, 6), (4, 4, 4)]
    packed = replace(
        batch_of(2, 12),
        position_ids=torch.stack([torch.cat([torch.arange(n) for n in row]) for row in lengths]),
        segments=torch.stack([torch.arange(3).repeat_interleave(torch.tensor(row)) for row in lengths]),
    )
    documents = [
        Batch(input_ids=ids.unsqueeze(0), labels=labels.unsqueeze(0))
        for row, parts in enumerate(lengths)
        for ids, labels in zip(
            packed.input_ids[row].split(parts), packed.labels[row].split(parts), strict=True
        )
    ]
    alone = torch.stack([objective.loss(model, document).sum for document in documents]).sum()
    mine = gradients(model, alone)
    together = objective.loss(model, packed)
    torch.testing.assert_close(together.sum, alone)
    torch.testing.assert_close(gradients(model, together.sum), mine, rtol=1e-4, atol=1e-5)
    unmasked = objective.loss(model, replace(packed, segments=None, position_ids=None))
    assert not torch.allclose(unmasked.sum, alone, rtol=1e-4)


def test_documents_cannot_be_kept_apart_where_the_model_takes_no_mask() -> None:
    train = training(BLOOM)
    assert train.data is not None
    data = msgspec.structs.replace(train.data, respect_documents=True)
    with pytest.raises(UnsatisfiableError, match="bloom"):
        objective_of(msgspec.structs.replace(train, data=data), build_model(train, BLOOM, seed=1))


def pairs(rows: int) -> PairBatch:
    """Pairs with a common prompt of four tokens that does not count."""
    chosen, rejected = batch_of(rows, 9, seed=1), batch_of(rows, 9, seed=2)
    rejected.input_ids[:, :4] = chosen.input_ids[:, :4]
    chosen.labels[:, :3] = rejected.labels[:, :3] = -100
    rejected.labels[0, 6:] = -100  # padded
    return PairBatch(chosen=chosen, rejected=rejected)


def answer_log_probability(model: nn.Module, batch: Batch) -> Tensor:
    shares = model(input_ids=batch.input_ids).logits.log_softmax(-1)
    each = shares.gather(-1, batch.labels.clamp(min=0).unsqueeze(-1)).squeeze(-1)
    return (each * (batch.labels != -100)).sum(-1)


def plain_dpo(model: nn.Module, reference: nn.Module, batch: PairBatch, beta: float) -> Tensor:
    """Equation 7 of arXiv:2305.18290 as it is written there, summed."""
    with torch.no_grad():
        chosen, rejected = (
            answer_log_probability(reference, side) for side in (batch.chosen, batch.rejected)
        )
    ratio = answer_log_probability(model, batch.chosen) - chosen
    ratio = ratio - (answer_log_probability(model, batch.rejected) - rejected)
    return -(1 / (1 + (-beta * ratio).exp())).log().sum()


def disturbed(model: nn.Module) -> nn.Module:
    with torch.no_grad(), torch.random.fork_rng():
        torch.manual_seed(7)
        for parameter in model.parameters():
            if parameter.requires_grad:
                parameter.add_(torch.randn_like(parameter), alpha=0.05)
    return model


def test_preferences_against_the_equation() -> None:
    train = training(LLAMA, objective=Dpo(beta=0.3))
    model = build_model(train, LLAMA, seed=1)
    first = copy.deepcopy(model)
    objective = objective_of(train, model)
    batch = pairs(3)
    start = objective.loss(model, batch)
    assert (start.count, objective.count(batch)) == (3, 3)
    assert start.sum.item() == pytest.approx(3 * math.log(2))  # nothing has moved yet
    disturbed(model)
    mine = objective.loss(model, batch).sum
    theirs = plain_dpo(model, first, batch, 0.3)
    torch.testing.assert_close(mine, theirs)
    torch.testing.assert_close(gradients(model, mine), gradients(model, theirs), rtol=1e-4, atol=1e-6)


class FixedLogits(nn.Module):
    """A model whose logits are a table row for each token, so that its probabilities are known by hand."""

    def __init__(self, table: list[list[float]]) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.tensor(table))

    def forward(self, input_ids: Tensor, logits_to_keep: Tensor | None = None, **_: object) -> object:
        logits = self.table[input_ids]
        return type("Output", (), {"logits": logits if logits_to_keep is None else logits[:, logits_to_keep]})


def test_preferences_by_hand() -> None:
    model = FixedLogits([[0.0, 0.0], [0.0, 0.0]])
    objective = objective_of(training(LLAMA, objective=Dpo(beta=0.5)), model)
    with torch.no_grad():
        model.table[0] = torch.tensor([math.log(3), 0.0])  # after token 0: token 0 with 3/4, token 1 with 1/4
    chosen = Batch(input_ids=torch.tensor([[0, 0]]), labels=torch.tensor([[0, 0]]))
    rejected = Batch(input_ids=torch.tensor([[0, 0]]), labels=torch.tensor([[-100, 1]]))
    # chosen gained ln(3/4 ÷ 1/2) twice, rejected ln(1/4 ÷ 1/2): β · (2 ln 1.5 − ln 0.5) = 0.5 · ln 4.5
    loss = objective.loss(model, PairBatch(chosen=chosen, rejected=rejected)).sum.item()
    assert loss == pytest.approx(-math.log(4.5**0.5 / (1 + 4.5**0.5)))


def test_with_an_adapter_the_frozen_weights_are_the_reference(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    directory = tmp_path_factory.mktemp("first")
    first = build_model(training(LLAMA), LLAMA, seed=5)
    first.save_pretrained(directory)  # type: ignore[operator]
    train = training(LLAMA, objective=Dpo(), init_from=str(directory), lora=Lora(r=2, lora_alpha=4))
    model = build_model(train, LLAMA, seed=1).train()
    assert isinstance(model, PeftModel)
    objective = objective_of(train, model)
    assert objective.reference is None  # no second copy in memory
    disturbed(model)
    asking: list[set[str]] = []
    model.register_forward_pre_hook(
        lambda *_: asking.append({name for name, one in model.named_parameters() if one.requires_grad})
    )
    mine = objective.loss(model, pairs(2)).sum
    assert model.training
    assert len(asking) == 2 and asking[0] == asking[1] != set()  # what FSDP takes for trained
    torch.testing.assert_close(mine, plain_dpo(model, first, pairs(2), 0.1))
    assert set(gradients(model, mine)) == {
        name for name, value in model.named_parameters() if "lora_" in name
    }
