"""Fused kernels as operators of torch: what they give is known without computing, and they can be computed as well.

Accelerators' fused kernels (attention that never writes its scores, norms, gated activations, sums of gradients that
a matrix product adds to) do not exist on every machine, and what they allocate is what a dry run asks for. Each
operator here has the shapes of such a kernel, and a plain implementation, so that the model made of them can be
proven to compute what it should.
"""

from collections.abc import Callable

import torch

__all__ = ["OPS", "SPACE", "define", "nothing"]

SPACE = "ogai_dryrun"
LIBRARY = torch.library.Library(SPACE, "DEF")  # type: ignore[no-untyped-call]
OPS = torch.ops.ogai_dryrun


def define(schema: str, compute: Callable[..., object], shapes: Callable[..., object]) -> None:
    """Add an operator with what it computes and what it gives where nothing is computed."""
    name = schema.partition("(")[0]
    LIBRARY.define(schema)  # type: ignore[no-untyped-call]
    LIBRARY.impl(name, compute, "CompositeExplicitAutograd")  # type: ignore[no-untyped-call]
    torch.library.register_fake(f"{SPACE}::{name}", shapes, lib=LIBRARY)


def nothing(*_: object) -> None:
    """What an operator gives that changes its arguments only."""
