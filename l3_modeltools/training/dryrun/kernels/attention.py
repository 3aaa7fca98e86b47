"""Causal attention that never writes its scores (arXiv:2205.14135), and shares made of scores that are written.

Queries are (s, b, h, d), keys (S, b, g, d), values (S, b, g, e), scores (b, h, s, S); `places` are where
tokens stand in the sequence: one sees those that do not stand behind it. Slopes (h,) are ALiBi's, or None.
"""

import torch
from torch import Tensor

from l3_modeltools.training.dryrun.kernels.define import define

__all__: list[str] = []


def _scores(
    query: Tensor, key: Tensor, places: Tensor, key_places: Tensor, slopes: Tensor | None, scale: float
) -> Tensor:
    key = key.repeat_interleave(query.shape[2] // key.shape[2], 2)
    scores = torch.einsum("sbhd,tbhd->bhst", query.float(), key.float()) * scale
    return _masked(scores, places, key_places, slopes)


def _masked(scores: Tensor, places: Tensor, key_places: Tensor, slopes: Tensor | None) -> Tensor:
    if slopes is not None:
        scores = scores + slopes[:, None, None] * key_places
    return scores.masked_fill(key_places > places[:, None], float("-inf"))


def _attend(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    places: Tensor,
    key_places: Tensor,
    slopes: Tensor | None,
    scale: float,
) -> tuple[Tensor, Tensor]:
    scores = _scores(query, key, places, key_places, slopes, scale)
    value = value.repeat_interleave(query.shape[2] // value.shape[2], 2)
    result = torch.einsum("bhst,tbhe->sbhe", scores.softmax(-1), value.float())
    return result.to(query.dtype), scores.logsumexp(-1)


def _attend_shapes(query: Tensor, key: Tensor, value: Tensor, *_: object) -> tuple[Tensor, Tensor]:
    s, b, h, _d = query.shape
    return query.new_empty(s, b, h, value.shape[3]), query.new_empty(b, h, s, dtype=torch.float32)


def _attend_backward(
    gradient: Tensor,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    result: Tensor,
    sums: Tensor,
    places: Tensor,
    key_places: Tensor,
    slopes: Tensor | None,
    scale: float,
) -> tuple[Tensor, Tensor, Tensor]:
    times = query.shape[2] // key.shape[2]
    shares = (_scores(query, key, places, key_places, slopes, scale) - sums[..., None]).exp()
    outer, whole_value = gradient.float(), value.repeat_interleave(times, 2).float()
    of_shares = torch.einsum("sbhe,tbhe->bhst", outer, whole_value)
    rows = (outer * result.float()).sum(-1).permute(1, 2, 0)[..., None]
    of_scores = shares * (of_shares - rows) * scale
    whole_key = key.repeat_interleave(times, 2).float()
    of_query = torch.einsum("bhst,tbhd->sbhd", of_scores, whole_key)
    of_key = torch.einsum("bhst,sbhd->tbhd", of_scores, query.float())
    of_value = torch.einsum("bhst,sbhe->tbhe", shares, outer)
    return of_query.to(query.dtype), _grouped(of_key, key), _grouped(of_value, value)


def _grouped(gradient: Tensor, like: Tensor) -> Tensor:
    """Add up what the query heads of a group give."""
    return gradient.unflatten(2, (like.shape[2], -1)).sum(3).to(like.dtype)  # type: ignore[no-any-return, no-untyped-call]


def _attend_backward_shapes(_: Tensor, *inputs: Tensor) -> tuple[Tensor, ...]:
    return tuple(torch.empty_like(tensor) for tensor in inputs[:3])


define(
    "attend(Tensor query, Tensor key, Tensor value, Tensor places, Tensor key_places, Tensor? slopes, float scale)"
    " -> (Tensor, Tensor)",
    _attend,
    _attend_shapes,
)
define(
    "attend_backward(Tensor gradient, Tensor query, Tensor key, Tensor value, Tensor result, Tensor sums,"
    " Tensor places, Tensor key_places, Tensor? slopes, float scale) -> (Tensor, Tensor, Tensor)",
    _attend_backward,
    _attend_backward_shapes,
)


# Scores that are written, scaled, masked and turned into shares by one kernel: scores (b, h, s, S).


def _share(scores: Tensor, places: Tensor, key_places: Tensor, slopes: Tensor | None, scale: float) -> Tensor:
    return _masked(scores.float() * scale, places, key_places, slopes).softmax(-1).to(scores.dtype)


def _share_backward(gradient: Tensor, shares: Tensor, scale: float) -> Tensor:
    weighted = gradient.float() * shares
    return ((weighted - shares * weighted.sum(-1, keepdim=True)) * scale).to(shares.dtype)


define(
    "share(Tensor scores, Tensor places, Tensor key_places, Tensor? slopes, float scale) -> Tensor",
    _share,
    lambda scores, *_: torch.empty_like(scores),
)
define(
    "share_backward(Tensor gradient, Tensor shares, float scale) -> Tensor",
    _share_backward,
    lambda _, shares, __: torch.empty_like(shares),
)
