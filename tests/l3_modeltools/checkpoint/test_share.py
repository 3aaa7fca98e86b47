"""The shares of all ranks are the whole, and none is much larger than another."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from l3_modeltools.checkpoint.share import share_of, state_bytes

TENSORS = st.integers(0, 50).map(torch.zeros)
STATES = st.dictionaries(
    st.text("abc", min_size=1, max_size=2),
    st.recursive(
        TENSORS | st.integers() | st.just([1, 2]),
        lambda inner: st.dictionaries(st.text("xyz", min_size=1, max_size=2), inner, max_size=4),
        max_leaves=12,
    ),
    max_size=5,
)


def merged(parts: list[dict[str, object]]) -> dict[str, object]:
    whole: dict[str, object] = {}
    for part in parts:
        for name, value in part.items():
            before = whole.get(name)
            if isinstance(before, dict) and isinstance(value, dict):
                whole[name] = merged([before, value])
            else:
                assert name not in whole, "written twice"
                whole[name] = value
    return whole


def identities(node: object) -> object:
    return {name: identities(value) for name, value in node.items()} if isinstance(node, dict) else id(node)


@given(state=STATES, ranks=st.integers(1, 5))
def test_the_shares_make_up_the_whole_and_nothing_is_written_twice(
    state: dict[str, object], ranks: int
) -> None:
    parts = [share_of(state, rank=rank, world_size=ranks) for rank in range(ranks)]
    assert identities(merged(parts)) == identities(state)


def test_the_shares_are_even() -> None:
    state = {f"t{number}": torch.zeros(100 + number) for number in range(40)}
    sizes = [state_bytes(share_of(state, rank=rank, world_size=4), 1) for rank in range(4)]
    assert max(sizes) - min(sizes) < 4 * 140
