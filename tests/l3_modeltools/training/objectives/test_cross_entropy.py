"""The losses and gradients that are written over the logits are those of PyTorch's cross-entropy."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn import functional

from l3_modeltools.data import IGNORED
from l3_modeltools.training.objectives import cross_entropy
from l3_modeltools.training.objectives.cross_entropy import token_losses


def both_ways(logits: torch.Tensor, labels: torch.Tensor) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    """Losses and gradients of ours and of PyTorch's, each loss weighted by its own number."""
    weights = torch.linspace(0.5, 2, labels.numel()).view(labels.shape)
    ours, theirs = logits.clone().requires_grad_(), logits.clone().requires_grad_()
    loss = token_losses(ours * 1, labels)
    expected = functional.cross_entropy(
        theirs.float().flatten(0, -2), labels.flatten(), ignore_index=IGNORED, reduction="none"
    ).view(labels.shape)
    (loss * weights).sum().backward()
    (expected * weights).sum().backward()
    assert ours.grad is not None
    assert theirs.grad is not None
    return [loss.detach(), ours.grad], [expected.detach(), theirs.grad]


@settings(deadline=None, max_examples=60)
@given(
    seed=st.integers(0, 2**31),
    rows=st.integers(1, 5),
    vocabulary=st.sampled_from([2, 3, 64, 1000]),
    scale=st.sampled_from([0.1, 1.0, 60.0]),
    ignored=st.sampled_from([0.0, 0.4, 1.0]),
)
def test_losses_and_gradients_are_pytorchs(
    seed: int, rows: int, vocabulary: int, scale: float, ignored: float
) -> None:
    random = torch.Generator().manual_seed(seed)
    logits = torch.randn(rows, 7, vocabulary, generator=random) * scale
    labels = torch.randint(vocabulary, (rows, 7), generator=random)
    labels[torch.rand(rows, 7, generator=random) < ignored] = IGNORED
    ours, theirs = both_ways(logits, labels)
    for mine, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(mine, other, rtol=2e-5, atol=2e-5)


def test_bfloat16_logits_lose_nothing_before_the_loss() -> None:
    logits = torch.randn(2, 40, 300, generator=torch.Generator().manual_seed(3)).bfloat16()
    labels = torch.randint(300, (2, 40), generator=torch.Generator().manual_seed(4))
    (loss, gradient), (expected, wanted) = both_ways(logits, labels)
    assert loss.dtype == torch.float32
    torch.testing.assert_close(loss, expected, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(gradient, wanted, rtol=1e-2, atol=1e-4)


def test_rows_beyond_one_piece_count_too() -> None:
    rows = cross_entropy.CPU_CHUNK // 1024 + 3
    logits = torch.randn(1, rows, 1024, generator=torch.Generator().manual_seed(5))
    labels = torch.randint(1024, (1, rows), generator=torch.Generator().manual_seed(6))
    ours, theirs = both_ways(logits, labels)
    torch.testing.assert_close(ours, theirs, rtol=2e-5, atol=2e-5)


def test_logits_too_far_apart_for_an_exponential_give_a_finite_loss() -> None:
    logits = torch.tensor([[300.0, -300.0, 0.0]])
    assert token_losses(logits.clone(), torch.tensor([1])).item() == pytest.approx(600.0)


def test_without_gradient_the_logits_stay() -> None:
    logits = torch.randn(2, 3, 11)
    kept = logits.clone()
    with torch.no_grad():
        token_losses(logits, torch.zeros(2, 3, dtype=torch.int64))
    assert torch.equal(logits, kept)
