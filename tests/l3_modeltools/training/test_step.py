"""One step: the update is that of the whole batch, however it is cut, and weighs every token alike."""

import copy
from collections.abc import Callable, Sequence

import pytest
import torch
from torch import nn

from l3_modeltools.data import IGNORED, Batch
from l3_modeltools.schemas import Compute, Optimizer, Recompute, Strategy
from l3_modeltools.training import build_model
from l3_modeltools.training.objectives import objective_of
from l3_modeltools.training.optimizer import make_optimizer
from l3_modeltools.training.parallel import decoder_layers, spread
from l3_modeltools.training.step import NOTHING, Stepper, StepResult, Wishes
from l3_modeltools.training.world import World
from tests.support.tiny_models import LLAMA, training

ALONE = World(rank=0, size=1, device=torch.device("cpu"))


def uneven_batch() -> Batch:
    """Four rows of 16 tokens, in which 1, 16, 3 and 9 tokens count."""
    tokens = torch.randint(0, LLAMA.vocab_size, (4, 17), generator=torch.Generator().manual_seed(1))
    labels = tokens[:, 1:].clone()
    for row, counted in enumerate((1, 16, 3, 9)):
        labels[row, counted:] = IGNORED
    return Batch(input_ids=tokens[:, :-1], labels=labels)


def cut(batch: Batch, rows: int) -> list[Batch]:
    pieces = zip(batch.input_ids.split(rows), batch.labels.split(rows), strict=True)
    return [Batch(input_ids=ids, labels=labels) for ids, labels in pieces]


def make_stepper(
    *, max_grad_norm: float | None = None, recompute: Recompute | None = None
) -> tuple[nn.Module, Stepper]:
    train = training(LLAMA)
    model = build_model(train, LLAMA, seed=0)
    objective = objective_of(train, model)
    strategy = Strategy(recompute=recompute or Recompute())
    spreaded = spread(model, world=ALONE, strategy=strategy, compute=Compute(precision="fp32"))
    optimizer = make_optimizer(Optimizer(), model)
    return model, Stepper(spreaded, objective, optimizer, world=ALONE, max_grad_norm=max_grad_norm)


def take(stepper: Stepper, batches: Sequence[Batch], steps: int = 2) -> list[StepResult]:
    return [take_one(stepper, batches) for _ in range(steps)]


def take_one(
    stepper: Stepper, batches: Sequence[Batch], *, rate: float = 1e-2, wishes: Wishes = NOTHING
) -> StepResult:
    proposal = stepper.propose(batches, wishes)
    stepper.update(proposal, rate=rate)
    return proposal.result


def weights(model: nn.Module) -> torch.Tensor:
    return nn.utils.parameters_to_vector(model.parameters()).detach()


@pytest.mark.parametrize("rows", [1, 2])
def test_accumulation_equals_the_whole_batch(rows: int) -> None:
    whole_model, whole = make_stepper()
    cut_model, pieces = make_stepper()
    batch = uneven_batch()
    expected, found = take(whole, [batch]), take(pieces, cut(batch, rows))
    for one, other in zip(expected, found, strict=True):
        assert other.loss == pytest.approx(one.loss, rel=1e-5)
        assert other.grad_norm == pytest.approx(one.grad_norm, rel=1e-4)
    torch.testing.assert_close(weights(cut_model), weights(whole_model), rtol=0, atol=2e-4)


def test_the_loss_is_the_mean_over_tokens_not_the_mean_of_means() -> None:
    model, stepper = make_stepper()
    batch = uneven_batch()
    with torch.no_grad():
        logits = model(input_ids=batch.input_ids).logits
    losses = nn.functional.cross_entropy(logits.transpose(1, 2), batch.labels, reduction="none")
    counted = batch.labels != IGNORED
    mean = losses[counted].mean().item()
    mean_of_means = (losses.sum(1) / counted.sum(1)).mean().item()
    found = take(stepper, cut(batch, 1), steps=1)[0].loss
    assert found == pytest.approx(mean, rel=1e-6)
    assert abs(mean - mean_of_means) > 1e-3


@pytest.mark.parametrize("limit", [0.05, 1e6])
def test_clipping_is_that_of_torch(limit: float) -> None:
    model, stepper = make_stepper(max_grad_norm=limit)
    plain = copy.deepcopy(model)
    optimizer = make_optimizer(Optimizer(learning_rate=1e-2), plain)
    batch = uneven_batch()
    logits = plain(input_ids=batch.input_ids).logits
    nn.functional.cross_entropy(logits.transpose(1, 2), batch.labels).backward()
    norm = nn.utils.clip_grad_norm_(plain.parameters(), limit)
    optimizer.step()
    (result,) = take(stepper, cut(batch, 2), steps=1)
    assert result.grad_norm == pytest.approx(norm.item(), rel=1e-4)
    torch.testing.assert_close(weights(model), weights(plain), rtol=0, atol=2e-4)


def test_warming_up_changes_nothing() -> None:
    model, stepper = make_stepper()
    before = weights(model).clone()
    stepper.warm_up(uneven_batch())
    assert torch.equal(weights(model), before)
    assert all(parameter.grad is None for parameter in model.parameters())
    assert not stepper.optimizer.state


def test_recomputing_layers_changes_no_number() -> None:
    plain_model, plain = make_stepper()
    thrifty_model, thrifty = make_stepper(recompute=Recompute(mode="full", layers=((1,),)))
    assert take(plain, [uneven_batch()]) == take(thrifty, [uneven_batch()])
    assert torch.equal(weights(plain_model), weights(thrifty_model))


def test_only_the_layers_named_are_recomputed() -> None:
    model, _ = make_stepper(recompute=Recompute(mode="full", layers=((1,),)))
    calls = [0, 0]

    def count(index: int) -> Callable[..., None]:
        def hook(*_: object) -> None:
            calls[index] += 1

        return hook

    for index, layer in enumerate(decoder_layers(model)):
        layer.get_submodule("mlp").register_forward_pre_hook(count(index))
    model(input_ids=uneven_batch().input_ids).logits.sum().backward()
    assert calls == [2, 1]


def test_a_step_in_which_nothing_counts_has_a_loss_of_zero() -> None:
    _, stepper = make_stepper()
    batch = uneven_batch()
    nothing = Batch(input_ids=batch.input_ids, labels=torch.full_like(batch.labels, IGNORED))
    assert take(stepper, [nothing], steps=1) == [StepResult(loss=0.0, grad_norm=0.0, tokens=64)]


def test_a_step_is_known_before_any_weight_changes() -> None:
    model, stepper = make_stepper()
    before = weights(model).clone()
    proposal = stepper.propose([uneven_batch()], NOTHING)
    assert proposal.result.is_finite and torch.equal(weights(model), before)
    stepper.leave_out()
    assert all(parameter.grad is None for parameter in model.parameters()) and not stepper.optimizer.state
    assert stepper.propose([uneven_batch()], NOTHING).result == proposal.result


def test_a_loss_that_is_not_finite_is_told() -> None:
    model, stepper = make_stepper()
    with torch.no_grad():
        next(model.parameters()).fill_(float("inf"))
    assert not stepper.propose([uneven_batch()], NOTHING).result.is_finite


def test_a_step_computed_again_is_the_same_bit_by_bit() -> None:
    once_model, once = make_stepper()
    twice_model, twice = make_stepper()
    twice.propose([uneven_batch()], NOTHING)
    assert take(once, [uneven_batch()]) == take(twice, [uneven_batch()])
    assert torch.equal(weights(once_model), weights(twice_model))


def test_matrices_decay_and_vectors_do_not() -> None:
    model, stepper = make_stepper()
    matrices, vectors = stepper.optimizer.param_groups
    assert (matrices["weight_decay"], vectors["weight_decay"]) == (0.1, 0.0)
    assert {one.ndim for one in vectors["params"]} == {1}
    assert len(matrices["params"]) + len(vectors["params"]) == len(list(model.parameters()))


def test_tokens_are_counted_exactly_where_fp32_could_not() -> None:
    class Long(Batch):
        @property
        def tokens(self) -> int:
            return 2**24 + 1

    batch = uneven_batch()
    long = Long(input_ids=batch.input_ids, labels=batch.labels)
    _, stepper = make_stepper()
    assert take(stepper, [long, long, long], steps=1)[0].tokens == 3 * (2**24 + 1)


def test_the_rate_is_that_of_the_step_and_a_wish_to_stop_is_heard() -> None:
    _, stepper = make_stepper()
    result = take_one(stepper, [uneven_batch()], rate=0.125, wishes=Wishes(stop=True, copy=True))
    assert result.agreed == Wishes(stop=True, copy=True)
    assert [group["lr"] for group in stepper.optimizer.param_groups] == [0.125, 0.125]
    assert [group["betas"] for group in stepper.optimizer.param_groups] == [(0.9, 0.95)] * 2
    assert take(stepper, [uneven_batch()], steps=1)[0].agreed == NOTHING
