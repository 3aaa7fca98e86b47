"""Memory that is kept free: a share of the device's, or a size."""

import pytest

from l0_infra import load_devices
from l0_infra.core.errors import UsageError
from ogai.flows.strategy.asked import headroom_of

GIB = 2**30
H100 = next(one for one in load_devices() if one.name == "h100-sxm-80")


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("0%", 0),
        ("3%", 24 * GIB // 10),
        ("12.5 %", 10 * GIB),
        ("2GiB", 2 * GIB),
        ("0", 0),
        ("79GiB", 79 * GIB),
    ],
)
def test_a_share_or_a_size(text: str, size: int) -> None:
    assert headroom_of(text, H100) == size


@pytest.mark.parametrize("text", ["100%", "-3%", "3x", "", "80GiB", "1TiB", "nan%"])
def test_all_of_it_and_what_is_neither_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--headroom"):
        headroom_of(text, H100)
